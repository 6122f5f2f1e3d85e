/* MPI_Bcast timed exactly as `shmcoll run bcast` times ours.
 *
 * All ranks start at an agreed instant of the same clock; a sample is the last end minus that
 * instant; a repetition for which a rank came late does not count. Buffers come cold from a pool of
 * four last-level caches, and every byte is checked, both outside the timed part. The agreement
 * goes through a shared page of our own, so that nothing but the measured calls uses the library.
 * One jsonl or csv row a size on standard output. Built once for each MPI. */
#include "kernels/atomics.h"
#include "kernels/clock.h"
#include "kernels/pool.h"
#include "kernels/run_statistics.h"
#include "kernels/verify.h"
#include "kernels/wait.h"

#include <mpi.h>
#include <sched.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    RANKS_MAX = 64,
    SIZES_MAX = 32,
    LEAD_NS = 10000, /* as in run */
    LEAD_CROWDED_NS = 100000,
    EXIT_USAGE = 2,
    EXIT_WRONG_DATA = 3,
};

struct agreement {
    alignas(128) atomic_word arrived;
    alignas(128) atomic_word round;
    alignas(128) uint64_t deadline_ticks; /* 0: stop */
    struct {
        alignas(128) uint64_t ticks; /* end of the last call, 0: came late; written by its rank, read by 0 */
    } end[RANKS_MAX];
};

struct options {
    const char *protocol, *format;
    uint64_t size_bytes[SIZES_MAX];
    uint32_t sizes, reps, warmup, root;
    double time_limit_s;
};

struct bench {
    struct options options;
    int rank, procs, crowded;
    struct agreement *shared;
    struct clock clock;
    struct pool pool;
    uint64_t size_bytes; /* of the calls now measured */
    uint32_t turn;       /* meetings so far */
    double *sample_s;    /* rank 0 */
    uint32_t samples;
    uint64_t start_ns;
};

/* Bytes, comma between. */
static void sizes_parse(struct options *o, const char *text)
{
    char *end = (char *)(uintptr_t)text;
    for (o->sizes = 0; o->sizes < SIZES_MAX && *text; text = end + (*end == ',')) {
        o->size_bytes[o->sizes++] = strtoull(text, &end, 10);
        if (end == text)
            break;
    }
}

static int option_set(struct options *o, const char *name, const char *value)
{
    if (strcmp(name, "--protocol") == 0)
        o->protocol = value;
    else if (strcmp(name, "--format") == 0)
        o->format = value;
    else if (strcmp(name, "--size") == 0)
        sizes_parse(o, value);
    else if (strcmp(name, "--reps") == 0)
        o->reps = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(name, "--warmup") == 0)
        o->warmup = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(name, "--root") == 0)
        o->root = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(name, "--time-limit") == 0)
        o->time_limit_s = strtod(value, NULL);
    else
        return -1;
    return 0;
}

/* Warm-up: MPICH turns to its shared-memory broadcast only at the sixth call on a communicator. */
static int options_parse(int argc, char **argv, struct options *out)
{
    *out = (struct options){.protocol = "mpi", .format = "jsonl", .reps = 1000, .warmup = 12, .time_limit_s = 1};
    sizes_parse(out, "8");
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || option_set(out, argv[i], argv[i + 1]) != 0)
            return -1;
    int valid = out->reps > 0 && out->sizes > 0;
    for (uint32_t i = 0; i < out->sizes; i++)
        valid &= out->size_bytes[i] <= INT32_MAX;
    return valid ? 0 : -1;
}

static void rest(const struct bench *b)
{
    if (b->crowded)
        sched_yield();
}

/* All have come; what they wrote before is visible to all. */
static void meet(struct bench *b)
{
    b->turn++;
    word_add_acq_rel(&b->shared->arrived, 1); /* R1: pairs with A1 */
    while (word_load_acquire(&b->shared->arrived) < b->turn * (uint32_t)b->procs) /* A1 */
        rest(b);
}

/* Rank 0, when all have ended attempt `attempt`. */
static void collect(struct bench *b, uint32_t attempt, uint64_t deadline_ticks)
{
    uint64_t last = 0;
    for (int r = 0; r < b->procs; r++) {
        uint64_t end = b->shared->end[r].ticks;
        if (end == 0)
            return;
        last = end > last ? end : last;
    }
    if (attempt >= b->options.warmup && b->samples < b->options.reps)
        b->sample_s[b->samples++] = clock_ns(&b->clock, last - deadline_ticks) * 1e-9;
}

static int enough(const struct bench *b, uint32_t attempt)
{
    double elapsed_s = (double)(clock_monotonic_ns() - b->start_ns) * 1e-9;
    int out_of_time = b->options.time_limit_s > 0 && elapsed_s > b->options.time_limit_s;
    int never_in_time = attempt > 10 * (b->options.reps + b->options.warmup);
    return b->samples >= b->options.reps || (out_of_time && b->samples > 0) || never_in_time;
}

/* The instant at which this attempt starts, 0 to stop. Rank 0 decides. */
static uint64_t agree(struct bench *b, uint32_t attempt)
{
    struct agreement *s = b->shared;
    if (b->rank == 0) {
        double lead_ns = b->crowded ? (double)LEAD_CROWDED_NS * b->procs : LEAD_NS;
        uint64_t deadline = clock_ticks(&b->clock) + clock_ticks_of_ns(&b->clock, lead_ns);
        s->deadline_ticks = enough(b, attempt) ? 0 : deadline;
        word_store_release(&s->round, b->turn); /* R2: the deadline stands; pairs with A2 */
    } else {
        while (word_load_acquire(&s->round) != b->turn) /* A2 */
            rest(b);
    }
    return s->deadline_ticks;
}

static unsigned char *buffer_prepare(struct bench *b, uint64_t key)
{
    uint64_t size = b->size_bytes, slot_bytes = size + 2 * VERIFY_GUARD_BYTES;
    unsigned char *slot = pool_next(&b->pool, slot_bytes), *buffer = slot + VERIFY_GUARD_BYTES;
    verify_guard(buffer, size);
    ((uint32_t)b->rank == b->options.root ? verify_fill : verify_poison)(buffer, size, key);
    pool_chill(&b->pool, slot, slot_bytes);
    return buffer;
}

static void buffer_check(const struct bench *b, const unsigned char *buffer, uint64_t key)
{
    uint64_t size = b->size_bytes;
    int64_t wrong = verify_check(buffer, size, key);
    if (wrong < 0 && verify_guard_check(buffer, size))
        return;
    fprintf(stderr, "mpi_bcast: rank %d: wrong data at byte %llu of %llu\n", b->rank,
            (unsigned long long)(wrong < 0 ? size : (uint64_t)wrong), (unsigned long long)size);
    MPI_Abort(MPI_COMM_WORLD, EXIT_WRONG_DATA);
}

static void attempts_run(struct bench *b, MPI_Comm comm)
{
    uint64_t deadline = 0;
    b->samples = 0;
    b->start_ns = clock_monotonic_ns();
    for (uint32_t i = 0;; i++) {
        uint64_t key = verify_key(i, b->options.root);
        unsigned char *buffer = buffer_prepare(b, key);
        meet(b);
        if (b->rank == 0 && i > 0)
            collect(b, i - 1, deadline);
        deadline = agree(b, i);
        if (deadline == 0)
            return;
        int late = !b->crowded && clock_ticks(&b->clock) >= deadline;
        wait_deadline(&b->clock, deadline, b->crowded);
        MPI_Bcast(buffer, (int)b->size_bytes, MPI_BYTE, (int)b->options.root, comm);
        uint64_t end = clock_ticks(&b->clock);
        b->shared->end[b->rank].ticks = late ? 0 : end;
        buffer_check(b, buffer, key);
    }
}

static void print_row(const struct bench *b)
{
    const struct options *o = &b->options;
    run_sort(b->sample_s, b->samples);
    struct run_summary s = run_summary_of(b->sample_s, b->samples);
    static const char *const header = "source,variant,collective,algorithm,protocol,node,procs,placement,root,buffers,backend,"
                                      "size_bytes,time_s,time_min_s,time_p99_s,ci_low_s,ci_high_s,reps,verified\n";
    static const char *const csv = "run,,bcast,,%s,host,%d,%s,%u,cold,procs,%llu,%.9g,%.9g,%.9g,%.9g,%.9g,%u,true\n";
    static const char *const jsonl =
        "{\"source\":\"run\",\"variant\":\"\",\"collective\":\"bcast\",\"algorithm\":\"\",\"protocol\":\"%s\",\"node\":\"host\","
        "\"procs\":%d,\"placement\":\"%s\",\"root\":%u,\"buffers\":\"cold\",\"backend\":\"procs\",\"size_bytes\":%llu,"
        "\"time_s\":%.9g,\"time_min_s\":%.9g,\"time_p99_s\":%.9g,\"ci_low_s\":%.9g,\"ci_high_s\":%.9g,\"reps\":%u,"
        "\"verified\":true}\n";
    int as_csv = strcmp(o->format, "csv") == 0;
    if (as_csv && b->size_bytes == o->size_bytes[0])
        fputs(header, stdout);
    printf(as_csv ? csv : jsonl, o->protocol, b->procs, b->crowded ? "shared" : "compact", o->root,
           (unsigned long long)b->size_bytes, s.median, s.min, s.p99, s.ci_low, s.ci_high, b->samples);
}

/* A communicator a size: what is counted by calls starts from zero, and set-up is none of it. Returns 1 if nothing came of it. */
static int measure(struct bench *b, uint64_t size_bytes)
{
    MPI_Comm comm;
    b->size_bytes = size_bytes;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(MPI_COMM_WORLD);
    attempts_run(b, comm);
    int failed = b->rank == 0 && b->samples == 0;
    if (b->rank == 0 && !failed)
        print_row(b);
    fflush(stdout);
    MPI_Comm_free(&comm);
    return failed;
}

/* One process's times are comparable with another's only if both count the same way: rank 0's clock is everybody's. */
static void clock_agree(struct bench *b)
{
    b->clock = clock_create();
    MPI_Bcast(&b->clock, (int)sizeof b->clock, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static int cpus_allowed(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static int setup(struct bench *b, MPI_Win *win)
{
    long llc_bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    MPI_Aint bytes = b->rank == 0 ? (MPI_Aint)sizeof *b->shared + 128 : 0;
    int unit, bound = cpus_allowed() == 1, all_bound;
    void *base;
    MPI_Allreduce(&bound, &all_bound, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    b->crowded = b->procs > (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (b->rank == 0 && !all_bound && !b->crowded)
        fprintf(stderr, "mpi_bcast: ranks are not bound to cores\n");
    if (MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, win) != MPI_SUCCESS)
        return -1;
    MPI_Win_shared_query(*win, 0, &bytes, &unit, &base);
    b->shared = (struct agreement *)(((uintptr_t)base + 127) / 128 * 128);
    if (b->rank == 0)
        memset(b->shared, 0, sizeof *b->shared);
    clock_agree(b);
    b->sample_s = malloc(b->options.reps * sizeof *b->sample_s);
    size_t largest = 0;
    for (uint32_t i = 0; i < b->options.sizes; i++)
        largest = b->options.size_bytes[i] > largest ? b->options.size_bytes[i] : largest;
    size_t pool_bytes =
        pool_size_bytes(llc_bytes > 0 ? (uint64_t)llc_bytes : 0, largest + 2 * VERIFY_GUARD_BYTES, (uint32_t)b->procs);
    return b->sample_s && pool_create(&b->pool, pool_bytes) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.procs);
    if (options_parse(argc, argv, &b.options) || b.procs > RANKS_MAX || b.options.root >= (uint32_t)b.procs) {
        if (b.rank == 0)
            fprintf(stderr, "usage: mpi_bcast [--size BYTES,...] [--reps N] [--warmup N] [--root N] [--time-limit SECONDS]"
                            " [--protocol NAME] [--format jsonl|csv]\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_USAGE);
    }
    if (setup(&b, &win) != 0)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    int failed = 0;
    for (uint32_t i = 0; i < b.options.sizes; i++)
        failed |= measure(&b, b.options.size_bytes[i]);
    pool_destroy(&b.pool);
    free(b.sample_s);
    MPI_Win_free(&win);
    MPI_Finalize();
    return failed;
}
