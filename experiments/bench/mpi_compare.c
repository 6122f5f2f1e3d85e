/* MPI_Bcast or MPI_Allgather and ours by turns in the same processes: nothing but the call differs.
 *
 * All ranks start at an agreed instant of one clock; a sample is the last end minus that instant; a repetition for which a rank
 * came late does not count. Contenders take turns in short blocks of repetitions, whose first are not counted, so that whatever
 * the host does, it does to all of them. Buffers are cold, each byte is checked, both outside the timed part. The agreement goes
 * through shared memory of our own. What one core, all cores and a cache line need at least is measured between the blocks.
 * One jsonl row a contender and size on standard output. Built once for each MPI. */
#include "experiments/bench/compare_options.h"
#include "experiments/bench/mpi_bootstrap.h"
#include "kernels/run_statistics.h"
#include "kernels/verify.h"
#include "model/formats/node_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONTENDERS_MAX = COMPARE_CONTENDERS_MAX, SAMPLES_MAX = 20000, PASSES_MAX = 200, MPI_WARMUP = 24 };
enum { EXIT_USAGE = 2, EXIT_WRONG_DATA = 3 };
enum { LIMIT_MEMCPY, LIMIT_SHARED, LIMIT_HANDOVER, LIMITS };

struct bench {
    struct compare_options options;
    struct contest contest;
    MPI_Comm comm;
    struct contender contender[CONTENDERS_MAX];
    uint32_t contenders;
    struct pool pool, area[CONTENDERS_MAX];
    uint64_t attempts;
    double *sample_s[CONTENDERS_MAX]; /* rank 0 */
    uint32_t samples[CONTENDERS_MAX];
    double *limit_s[LIMITS][COPY_ROUTINE_COUNT]; /* [PASSES_MAX], rank 0 */
    uint32_t limits;
};

static void fail(const struct bench *b, const char *what, const char *why, int code)
{
    fprintf(stderr, "mpi_compare: rank %u: %s: %s\n", b->contest.rank, what, why);
    MPI_Abort(MPI_COMM_WORLD, code);
}

static struct pool *pool_of(struct bench *b, uint32_t c)
{
    return b->options.shared_memory && b->area[c].base ? &b->area[c] : &b->pool;
}

/* A call's buffers, with guards: what all have in the end, and the own block of an allgather. */
struct buffers {
    unsigned char *message, *send;
    uint64_t bytes, block_bytes, attempt;
};

static uint64_t slot_bytes(const struct bench *b, uint64_t size)
{
    uint64_t message = b->options.allgather ? size * b->contest.procs : size;
    return message + 2 * VERIFY_GUARD_BYTES + (b->options.allgather ? size + VERIFY_GUARD_BYTES : 0);
}

static struct buffers buffers_prepare(struct bench *b, uint32_t c, uint64_t size)
{
    const struct compare_options *o = &b->options;
    uint32_t rank = b->contest.rank, blocks = o->allgather ? b->contest.procs : 1;
    unsigned char *slot = pool_next(pool_of(b, c), slot_bytes(b, size)), *message = slot + VERIFY_GUARD_BYTES;
    struct buffers own = {message, message + blocks * size + VERIFY_GUARD_BYTES, blocks * size, size, b->attempts++};
    verify_guard(message, own.bytes);
    for (uint32_t i = 0; i < blocks; i++)
        verify_poison(message + i * size, size, verify_key(own.attempt, o->allgather ? i : o->root));
    if (o->allgather && o->in_place)
        own.send = message + rank * size;
    if (o->allgather)
        verify_fill(own.send, size, verify_key(own.attempt, rank));
    else if (rank == o->root)
        verify_fill(message, size, verify_key(own.attempt, rank));
    pool_chill(&b->pool, slot, slot_bytes(b, size));
    return own;
}

static void buffers_check(const struct bench *b, uint32_t c, const struct buffers *own)
{
    uint32_t blocks = b->options.allgather ? b->contest.procs : 1;
    int wrong = !verify_guard_check(own->message, own->bytes);
    for (uint32_t i = 0; i < blocks; i++) {
        uint64_t key = verify_key(own->attempt, b->options.allgather ? i : b->options.root);
        wrong |= verify_check(own->message + i * own->block_bytes, own->block_bytes, key) >= 0;
    }
    if (wrong)
        fail(b, b->contender[c].label, "wrong data", EXIT_WRONG_DATA);
}

static void call_mpi(const struct bench *b, const struct buffers *own)
{
    int count = (int)own->block_bytes;
    if (!b->options.allgather)
        MPI_Bcast(own->message, count, MPI_BYTE, (int)b->options.root, b->comm);
    else if (b->options.in_place)
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, own->message, count, MPI_BYTE, b->comm);
    else
        MPI_Allgather(own->send, count, MPI_BYTE, own->message, count, MPI_BYTE, b->comm);
}

static void call(struct bench *b, uint32_t c, const struct buffers *own)
{
    struct contender *who = &b->contender[c];
    int error = 0;
    if (who->kind == CONTENDER_MPI)
        call_mpi(b, own);
    else if (b->options.allgather)
        error = contender_allgather(who, own->send, own->message, own->block_bytes);
    else
        error = comm_bcast(who->comm, own->message, own->block_bytes, b->options.root);
    if (error)
        fail(b, who->label, contender_error(who), EXIT_FAILURE);
}

/* One repetition; 0 when rank 0 has called the block off. */
static int attempt(struct bench *b, uint32_t c, uint64_t size, int counts, int more)
{
    struct buffers own = buffers_prepare(b, c, size);
    uint64_t deadline;
    double sample_s;
    if (!contest_begin(&b->contest, more, &deadline))
        return 0;
    call(b, c, &own);
    contest_end(&b->contest, deadline, &sample_s);
    if (b->contest.rank == 0 && counts && sample_s > 0 && b->samples[c] < SAMPLES_MAX)
        b->sample_s[c][b->samples[c]++] = sample_s;
    buffers_check(b, c, &own);
    return 1;
}

/* A few repetitions of one contender: long enough that its queue is where its own calls leave it. */
static void block(struct bench *b, uint32_t c, uint64_t size, int counts)
{
    enum { BLOCK_LIMIT_NS = 60000000 };
    uint32_t reps = size <= 65536 ? 14 : size <= 4 << 20 ? 6 : 2, settle = size <= 65536 ? 4 : size <= 4 << 20 ? 2 : 0;
    uint64_t start_ns = clock_monotonic_ns();
    if (!contender_takes(&b->contender[c], size, b->contest.procs))
        return;
    for (uint32_t i = 0; i < reps; i++)
        if (!attempt(b, c, size, counts && i >= settle, i <= settle || clock_monotonic_ns() - start_ns < BLOCK_LIMIT_NS))
            return;
}

/* What one core needs to copy a message once, and all cores: disjoint parts of it, or for an allgather one message each. */
static void limits_measure(struct bench *b, uint64_t size)
{
    uint32_t procs = b->options.allgather ? b->contest.procs : 1;
    uint64_t bytes = size * procs;
    double ns;
    for (int routine = 0; routine < COPY_ROUTINE_COUNT; routine++) {
        if (!copy_routine_available((enum copy_routine)routine))
            continue;
        probe_copy_cold(&b->contest.probe, routine, bytes, &ns, 1);
        b->limit_s[LIMIT_MEMCPY][routine][b->limits] = ns * 1e-9;
        probe_copy_shared(&b->contest.probe, routine, bytes * procs, &ns, 1);
        b->limit_s[LIMIT_SHARED][routine][b->limits] = ns * 1e-9;
    }
    if (!b->contest.crowded && b->contest.procs > 1 && probe_state(&b->contest.probe, &ns) == 0)
        b->limit_s[LIMIT_HANDOVER][0][b->limits] = ns * 1e-9;
    b->limits++;
}

static double limit_median_s(struct bench *b, int limit)
{
    double least = NAN;
    for (int routine = 0; routine < COPY_ROUTINE_COUNT; routine++) {
        double *v = b->limit_s[limit][routine];
        if (b->limits == 0 || !(v[0] > 0))
            continue;
        run_sort(v, b->limits);
        least = fmin(least, run_summary_of(v, b->limits).median);
    }
    return least;
}

static void print_row(struct bench *b, uint32_t c, uint64_t size, const double limit_s[LIMITS])
{
    run_sort(b->sample_s[c], b->samples[c]);
    struct run_summary s = run_summary_of(b->sample_s[c], b->samples[c]);
    const struct contender *who = &b->contender[c];
    printf("{\"source\":\"run\",\"collective\":\"%s\",\"protocol\":\"%s\",\"mpi\":\"%s\",\"node\":\"host\",\"procs\":%u,"
           "\"placement\":\"%s\",\"root\":%u,\"buffers\":\"cold\",\"buffer_memory\":\"%s\",\"backend\":\"procs\","
           "\"size_bytes\":%llu,"
           "\"time_s\":%.6g,\"time_min_s\":%.6g,\"time_p99_s\":%.6g,\"ci_low_s\":%.6g,\"ci_high_s\":%.6g,\"reps\":%u,"
           "\"verified\":true",
           b->options.allgather ? "allgather" : "bcast", who->label, b->options.name, b->contest.procs,
           b->contest.crowded ? "shared" : "compact", b->options.root, b->options.shared_memory ? "shared" : "private",
           (unsigned long long)size, s.median, s.min, s.p99, s.ci_low, s.ci_high, b->samples[c]);
    if (who->comm) {
        const struct comm_lane *lane = comm_lane_of(who->comm, size);
        printf(",\"via\":\"%s\",\"fragment_bytes\":%u,\"slots\":%u,\"sets\":%u", lane->protocol->name, lane->fragment_bytes,
               lane->slots, lane->sets);
    }
    static const char *const name[LIMITS] = {"memcpy_cold_s", "copy_bound_s", "handover_s"};
    for (int i = 0; i < LIMITS; i++)
        if (limit_s[i] > 0)
            printf(",\"%s\":%.6g", name[i], limit_s[i]);
    printf("}\n");
}

static void print_rows(struct bench *b, uint64_t size)
{
    double limit_s[LIMITS];
    for (int i = 0; i < LIMITS; i++)
        limit_s[i] = limit_median_s(b, i);
    for (uint32_t c = 0; c < b->contenders; c++)
        if (b->samples[c] > 0)
            print_row(b, c, size, limit_s);
    fflush(stdout);
}

/* Rank 0: whether somebody who takes part has not been in time once. */
static int samples_lack(const struct bench *b, uint64_t size)
{
    int lack = 0;
    for (uint32_t c = 0; c < b->contenders; c++)
        lack |= b->samples[c] == 0 && contender_takes(&b->contender[c], size, b->contest.procs);
    return lack;
}

/* The first pass warms up; of the others at least two are made, then as many as there is time for. */
static void measure(struct bench *b, uint64_t size)
{
    uint64_t start_ns = clock_monotonic_ns();
    b->limits = 0;
    memset(b->samples, 0, sizeof b->samples);
    for (int i = 0; i < LIMITS * COPY_ROUTINE_COUNT; i++)
        memset(b->limit_s[i / COPY_ROUTINE_COUNT][i % COPY_ROUTINE_COUNT], 0, PASSES_MAX * sizeof(double));
    for (uint32_t pass = 0; pass <= PASSES_MAX; pass++) {
        double spent_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
        int more = pass < 3 || (pass < 12 && samples_lack(b, size)) || spent_s < b->options.time_limit_s;
        if (!contest_agree(&b->contest, more && pass < PASSES_MAX))
            break;
        for (uint32_t i = 0; i < b->contenders; i++)
            block(b, (i + pass) % b->contenders, size, pass > 0);
        if (pass > 0)
            limits_measure(b, size);
    }
    if (b->contest.rank == 0)
        print_rows(b, size);
}

static uint64_t size_largest(const struct compare_options *o)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < o->sizes; i++)
        largest = o->size_bytes[i] > largest ? o->size_bytes[i] : largest;
    return largest;
}

/* User memory that others can reach: of ours within the segment, of the MPI what it hands out. */
static void shared_memory_take(struct bench *b, uint32_t c, uint64_t bytes)
{
    void *base = NULL;
    if (b->contender[c].kind != CONTENDER_MPI)
        base = comm_area(b->contender[c].comm);
    else if (MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &base) != MPI_SUCCESS)
        base = NULL;
    if (!base)
        fail(b, b->contender[c].label, "no shared memory for user buffers", EXIT_FAILURE);
    memset(base, 1, bytes);
    b->area[c] = (struct pool){.base = base, .bytes = bytes};
}

static void contenders_open(struct bench *b)
{
    struct comm_bootstrap bootstrap = mpi_bootstrap();
    uint64_t area_bytes = 2 * slot_bytes(b, size_largest(&b->options)) + 4 * VERIFY_GUARD_BYTES;
    char reason[COMM_REASON_BYTES] = "";
    struct node node;
    if (node_load(b->options.node, &node, reason, sizeof reason) != 0)
        fail(b, b->options.node, reason, EXIT_USAGE);
    for (uint32_t c = 0; c < b->contenders; c++) {
        int error = contender_open(&b->contender[c], b->contest.procs, b->contest.rank, b->options.shared_memory ? area_bytes : 0,
                                   &node, &bootstrap, reason);
        if (error)
            fail(b, b->contender[c].label, reason, EXIT_FAILURE);
        if (*reason && b->contest.rank == 0)
            fprintf(stderr, "mpi_compare: %s: %s\n", b->contender[c].label, reason);
        *reason = 0;
        if (b->options.shared_memory)
            shared_memory_take(b, c, area_bytes);
        if (b->contender[c].comm && b->contest.rank == 0 && *comm_note(b->contender[c].comm))
            fprintf(stderr, "mpi_compare: %s: %s\n", b->contender[c].label, comm_note(b->contender[c].comm));
    }
    node_destroy(&node);
}

/* MPICH turns to its shared-memory broadcast only at the sixth call on a communicator. */
static void mpi_warm_up(struct bench *b)
{
    char byte[8] = "", all[CONTEST_RANKS_MAX];
    MPI_Comm_dup(MPI_COMM_WORLD, &b->comm);
    for (int i = 0; i < MPI_WARMUP; i++)
        MPI_Bcast(byte, sizeof byte, MPI_BYTE, (int)b->options.root, b->comm);
    for (int i = 0; i < MPI_WARMUP && b->options.allgather; i++)
        MPI_Allgather(byte, 1, MPI_BYTE, all, 1, MPI_BYTE, b->comm);
}

static void samples_create(struct bench *b)
{
    for (uint32_t c = 0; c < b->contenders; c++)
        if (!(b->sample_s[c] = malloc(SAMPLES_MAX * sizeof(double))))
            fail(b, "samples", "out of memory", EXIT_FAILURE);
    for (int i = 0; i < LIMITS; i++)
        for (int k = 0; k < COPY_ROUTINE_COUNT; k++)
            if (!(b->limit_s[i][k] = calloc(PASSES_MAX + 1, sizeof(double))))
                fail(b, "samples", "out of memory", EXIT_FAILURE);
}

static void samples_destroy(struct bench *b)
{
    for (uint32_t c = 0; c < b->contenders; c++)
        free(b->sample_s[c]);
    for (int i = 0; i < LIMITS * COPY_ROUTINE_COUNT; i++)
        free(b->limit_s[i / COPY_ROUTINE_COUNT][i % COPY_ROUTINE_COUNT]);
}

static void setup(struct bench *b, uint32_t procs, MPI_Win *win)
{
    long llc_bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    uint64_t most_bytes = slot_bytes(b, size_largest(&b->options));
    size_t pool_bytes = pool_size_bytes(llc_bytes > 0 ? (uint64_t)llc_bytes : 0, most_bytes, procs);
    if (pool_create(&b->pool, pool_bytes) != 0)
        fail(b, "buffers", "out of memory", EXIT_FAILURE);
    if (mpi_contest_create(&b->contest, &b->pool, win) != 0)
        fail(b, "agreement", "no shared memory", EXIT_FAILURE);
    samples_create(b);
    contenders_open(b);
    mpi_warm_up(b);
}

int main(int argc, char **argv)
{
    static struct bench b;
    MPI_Win win;
    int rank, procs;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    b.contest.procs = (uint32_t)procs;
    if (compare_options_parse(argc, argv, (uint32_t)procs, &b.options, b.contender, &b.contenders)) {
        if (rank == 0)
            fputs(compare_options_usage, stderr);
        MPI_Abort(MPI_COMM_WORLD, EXIT_USAGE);
    }
    setup(&b, (uint32_t)procs, &win);
    for (uint32_t i = 0; i < b.options.sizes; i++)
        measure(&b, b.options.size_bytes[i]);
    for (uint32_t c = 0; c < b.contenders; c++)
        contender_close(&b.contender[c]);
    samples_destroy(&b);
    pool_destroy(&b.pool);
    MPI_Comm_free(&b.comm);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
