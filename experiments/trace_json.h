/* Writes a simulation's steps as a Chrome trace in JSON, which ui.perfetto.dev opens: a thread a rank, slices named by
 * the paper's step, of category wait (nothing could be done), notify (words and lines) or copy.
 *
 * The stream stays the caller's. Begin, hand `sink` to an evaluator, end. */
#ifndef SHMCOLL_EXPERIMENTS_TRACE_JSON_H
#define SHMCOLL_EXPERIMENTS_TRACE_JSON_H

#include "model/scenario.h"

#include <stdio.h>

struct trace_json {
    FILE *out;
    struct trace_sink sink;
};

/* Writes the opening, with `title` as the name of the process and a name for each of `procs` threads. */
void trace_json_begin(struct trace_json *trace, FILE *out, const char *title, uint32_t procs, uint32_t root);
/* Writes the end. 0, or -EIO if anything could not be written. */
int trace_json_end(struct trace_json *trace);

/* What every trace of this format has. */

/* "ts" and "dur" in microseconds, in which the format counts, exact to the picosecond. */
void trace_json_print_span(FILE *out, uint64_t start_ps, uint64_t end_ps);
/* A track's name, which no character needs escaping in, and its place: tracks are shown in the order of their numbers. */
void trace_json_print_track(FILE *out, uint32_t pid, uint32_t tid, const char *name);

#endif
