/* Rows: what every command writes about one evaluation, and the one list of their fields.
 *
 * Names never change, new ones may come. An absent value is absent in every format: an empty
 * text, ROW_ABSENT, or NAN here; an empty cell in csv; no key in jsonl. */
#ifndef SHMCOLL_EXPERIMENTS_ROWS_H
#define SHMCOLL_EXPERIMENTS_ROWS_H

#include "experiments/options.h"
#include "model/scenario.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ROW_ABSENT INT64_MIN
enum { ROW_WORD_BYTES = 24, ROW_TEXT_BYTES = 96 };

struct row {
    char source[ROW_WORD_BYTES], variant[ROW_WORD_BYTES], collective[ROW_WORD_BYTES], algorithm[ROW_WORD_BYTES];
    char protocol[ROW_WORD_BYTES], buffers[ROW_WORD_BYTES], backend[ROW_WORD_BYTES], buffer_memory[ROW_WORD_BYTES],
        channel[ROW_WORD_BYTES], tree[ROW_WORD_BYTES], pattern[ROW_WORD_BYTES];
    char node[ROW_TEXT_BYTES], placement[ROW_TEXT_BYTES], network[ROW_TEXT_BYTES], mapping[ROW_TEXT_BYTES], remap[ROW_WORD_BYTES];
    int64_t procs, root, size_bytes, fragment_bytes, slots, sets, readers_most, window, in_place, seed, root_shift, ppn, levels;
    double skew_s, slice_s, noise, time_s, time_mean_s;
    double fragment_opt_bytes, slots_opt;               /* model */
    double term_sets_s, term_fill_s, term_notify_s, term_copy_s; /* model, the paper's form */
    int64_t events, messages, channel_bytes;            /* sim */
    int64_t messages_inside, messages_between, bytes_inside, bytes_between; /* sim: nodes on a network */
    double wall_s, copy_s, wait_s, notify_s;            /* where the time went */
    double read_s;                                      /* of a GOAL program: its text */
    double time_min_s, time_p99_s, ci_low_s, ci_high_s; /* run, as all below */
    int64_t reps, verified;
    double memcpy_cold_s, copy_bound_s, handover_ns;
    int64_t audit_pages, audit_pages_misplaced;
    char partitioner[ROW_WORD_BYTES], distance[ROW_WORD_BYTES]; /* map, as all below */
    int64_t parts, cut, bound, busiest, optimal;
    double gap, j;
    double error, error_above_copy; /* compare: against run, as a fraction of its time; of its time less m t */
};

enum row_kind { ROW_TEXT, ROW_INTEGER, ROW_TRUTH, ROW_REAL };
enum row_use {
    ROW_ALWAYS = 1, /* written even when the text is empty */
    ROW_HEAD = 2,   /* in a table above the columns unless it varies */
    ROW_DETAIL = 4, /* in a table with -v only */
};

struct row_field {
    const char *name, *unit, *heading; /* unit: B, s, ns, 1 (a ratio), any (another field says) or empty; heading: in tables */
    enum row_kind kind;
    size_t offset;
    unsigned use;
};

/* Ends with a NULL name. */
extern const struct row_field row_fields[];

void row_init(struct row *row);
/* What a scenario says about itself; source is the evaluator's name. */
void row_set_scenario(struct row *row, const char *source, const struct scenario *scenario);
void row_set_outcome(struct row *row, const struct outcome *outcome);
int row_has(const struct row *row, const struct row_field *field);

/* Writes rows in one format as they come; a table waits for the end to know its columns. */
struct row_writer {
    FILE *file;
    FILE *beside; /* --rows, else NULL */
    enum format beside_format;
    enum format format;
    int verbosity;
    struct row *rows; /* table only */
    size_t count, capacity;
};

/* Opens settings->output, or standard output, and settings->rows. 0, or an exit code after telling why. */
int row_writer_open(struct row_writer *writer, const struct settings *settings);
/* What can be written at once: nothing of a table, for those who print one of their own. */
void row_writer_stream(struct row_writer *writer, const struct row *row);
/* 0 or -ENOMEM. */
int row_writer_add(struct row_writer *writer, const struct row *row);
/* 0, or an exit code after telling why. */
int row_writer_close(struct row_writer *writer);

/* One row in csv (without line end) or as a JSON object. */
void row_print_csv_header(FILE *file);
void row_print_csv(FILE *file, const struct row *row);
void row_print_json(FILE *file, const struct row *row);
/* Aligned columns of what the rows have. */
void row_print_table(FILE *file, const struct row *rows, size_t count, int verbosity);
/* The shortest decimal text that reads back as the same number. */
const char *real_format(double value, char *text, size_t bytes);
void json_print_text(FILE *file, const char *text);

#endif
