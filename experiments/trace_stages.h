/* Writes messages between nodes as a Chrome trace in JSON, which ui.perfetto.dev opens: a process a rank, a track a stage: its
 * core, its bus, its network interface and its link, each way. What is in a stage at one time beside others gets a further track
 * of the same name.
 *
 * The stream stays the caller's. Begin, hand `sink` to an evaluator, end. */
#ifndef SHMCOLL_EXPERIMENTS_TRACE_STAGES_H
#define SHMCOLL_EXPERIMENTS_TRACE_STAGES_H

#include "model/nic.h"
#include "model/scenario.h"

#include <stdio.h>

enum { TRACE_STAGES_RANKS_MOST = 4096, TRACE_STAGES_LANES = 48 };

struct trace_stages_track {
    uint64_t end_ps[TRACE_STAGES_LANES];
    int named; /* how many lanes have a name */
};

struct trace_stages {
    FILE *out;
    struct trace_sink sink;
    uint32_t procs;
    struct trace_stages_track *track; /* [procs * NIC_STAGE_COUNT] */
};

/* 0, or an exit code after telling why: the ranks are more than TRACE_STAGES_RANKS_MOST, or there is no memory. */
int trace_stages_begin(struct trace_stages *trace, FILE *out, const char *title, uint32_t procs);
/* Writes the end. 0, or -EIO if anything could not be written. */
int trace_stages_end(struct trace_stages *trace);

#endif
