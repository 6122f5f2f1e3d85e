/* Messages of an MPI and of our channels by turns in the same two processes: nothing but the calls differs.
 *
 * A repetition is a number of round trips, or a window of messages one way (all posted before any is waited for) and an empty
 * answer. Both ranks start at an agreed instant of one clock; the last end minus that instant, divided by the messages one after
 * another, is a sample: the time of one message one way. Ways take turns in short blocks of repetitions, whose first are not
 * counted. Buffers are warm, each byte is checked outside the timed part. `readv` is no channel but what a single copy by the
 * kernel takes at least: rank 1 reads what rank 0 has, addresses known and nothing matched.
 * One jsonl row a way, pattern and size on standard output. Built once for each MPI. */
#include "experiments/bench/mpi_bootstrap.h"
#include "experiments/bench/p2p_plan.h"
#include "kernels/channels/endpoint.h"
#include "kernels/run_statistics.h"
#include "kernels/verify.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum { SAMPLES_LEAST = 5, SAMPLES_MAX = 20000, PASSES_MAX = 400, TAG = 7, BLOCK = 10, SETTLE = 3 };
enum { EXIT_USAGE = 2, EXIT_WRONG_DATA = 3 };
enum way_kind { WAY_CHANNEL, WAY_MPI, WAY_READV };

struct way {
    const char *label;
    enum way_kind kind;
    struct endpoint *endpoint;
    double *sample_s; /* rank 0 */
    uint32_t samples;
    uint32_t fragment_bytes, ring_bytes; /* 0: as by default */
};

struct bench {
    struct p2p_plan plan;
    struct contest contest;
    struct pool pool; /* unused: buffers are warm */
    struct way way[P2P_WAYS_MAX];
    uint32_t ways, rank;
    unsigned char *out, *in; /* past a guard */
    uint64_t area_bytes, attempts;
    struct transfer transfer[P2P_WINDOW_MAX];
    MPI_Request request[P2P_WINDOW_MAX];
    MPI_Status status[P2P_WINDOW_MAX];
    uint64_t peer_out; /* readv */
    pid_t peer_pid;
    double handover_s[PASSES_MAX];
    uint32_t handovers;
};

static void fail(const struct bench *b, const char *what, const char *why, int code)
{
    fprintf(stderr, "mpi_p2p: rank %u: %s: %s\n", b->rank, what, why);
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void endpoint_check(const struct bench *b, const struct way *w, int error)
{
    if (error)
        fail(b, w->label, endpoint_error_string(w->endpoint), EXIT_FAILURE);
}

static void message_send(struct bench *b, const struct way *w, const void *buffer, uint64_t size)
{
    if (w->kind == WAY_MPI) {
        MPI_Send(buffer, (int)size, MPI_BYTE, 1 - (int)b->rank, TAG, MPI_COMM_WORLD);
        return;
    }
    int error = endpoint_send(w->endpoint, 1 - b->rank, TAG, buffer, size, b->transfer);
    endpoint_check(b, w, error ? error : endpoint_wait(w->endpoint, b->transfer));
}

static void message_receive(struct bench *b, const struct way *w, void *buffer, uint64_t size)
{
    if (w->kind == WAY_MPI) {
        MPI_Recv(buffer, (int)size, MPI_BYTE, 1 - (int)b->rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    int error = endpoint_receive(w->endpoint, 1 - b->rank, TAG, buffer, size, b->transfer);
    endpoint_check(b, w, error ? error : endpoint_wait(w->endpoint, b->transfer));
}

static void pingpong(struct bench *b, const struct way *w, uint64_t size, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (b->rank == 0)
            message_send(b, w, b->out, size);
        message_receive(b, w, b->in, size);
        if (b->rank == 1)
            message_send(b, w, b->out, size);
    }
}

static void window_mpi(struct bench *b, uint64_t size, uint32_t count)
{
    int bytes = (int)size;
    for (uint32_t i = 0; i < count; i++) {
        if (b->rank == 0)
            MPI_Isend(b->out + i * size, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &b->request[i]);
        else
            MPI_Irecv(b->in + i * size, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &b->request[i]);
    }
    MPI_Waitall((int)count, b->request, b->status);
}

static void window_channel(struct bench *b, const struct way *w, uint64_t size, uint32_t count)
{
    int error = 0;
    for (uint32_t i = 0; i < count && !error; i++)
        error = b->rank == 0 ? endpoint_send(w->endpoint, 1, TAG, b->out + i * size, size, &b->transfer[i])
                             : endpoint_receive(w->endpoint, 0, TAG, b->in + i * size, size, &b->transfer[i]);
    endpoint_check(b, w, error ? error : endpoint_wait_all(w->endpoint, b->transfer, count));
}

static void window_readv(struct bench *b, uint64_t size, uint32_t count)
{
    for (uint32_t i = 0; i < count && b->rank == 1; i++) {
        struct iovec to = {b->in + i * size, size}, from = {(void *)(uintptr_t)(b->peer_out + i * size), size};
        if (process_vm_readv(b->peer_pid, &to, 1, &from, 1, 0) != (ssize_t)size)
            fail(b, "readv", strerror(errno), EXIT_FAILURE);
    }
}

static void stream(struct bench *b, const struct way *w, uint64_t size, uint32_t count)
{
    if (w->kind == WAY_READV) {
        window_readv(b, size, count);
        return;
    }
    if (w->kind == WAY_MPI)
        window_mpi(b, size, count);
    else
        window_channel(b, w, size, count);
    if (b->rank == 1)
        message_send(b, w, b->out, 0);
    else
        message_receive(b, w, b->in, 0);
}

/* In a stream only rank 1 receives. */
static int receives(const struct bench *b, enum p2p_pattern pattern)
{
    return pattern == P2P_PINGPONG || b->rank == 1;
}

static void buffers_prepare(struct bench *b, enum p2p_pattern pattern, uint64_t bytes, uint64_t key[2])
{
    for (uint32_t r = 0; r < 2; r++)
        key[r] = verify_key(b->attempts, r);
    b->attempts++;
    verify_fill(b->out, bytes, key[b->rank]);
    if (receives(b, pattern)) {
        verify_guard(b->in, bytes);
        verify_poison(b->in, bytes, key[1 - b->rank]);
    }
}

/* One repetition; 0 when rank 0 has called the block off. */
static int attempt(struct bench *b, struct way *w, enum p2p_pattern pattern, uint64_t size, int counts, int more)
{
    uint32_t count = p2p_messages(pattern, size);
    uint64_t bytes = pattern == P2P_PINGPONG ? size : size * count, key[2], deadline;
    double sample_s;
    buffers_prepare(b, pattern, bytes, key);
    if (!contest_begin(&b->contest, more, &deadline))
        return 0;
    (pattern == P2P_PINGPONG ? pingpong : stream)(b, w, size, count);
    contest_end(&b->contest, deadline, &sample_s);
    if (b->rank == 0 && counts && sample_s > 0 && w->samples < SAMPLES_MAX)
        w->sample_s[w->samples++] = sample_s / (pattern == P2P_PINGPONG ? 2 * count : count);
    if (receives(b, pattern) && (verify_check(b->in, bytes, key[1 - b->rank]) >= 0 || !verify_guard_check(b->in, bytes)))
        fail(b, w->label, "wrong data", EXIT_WRONG_DATA);
    return 1;
}

/* A single copy by the kernel goes one way, and needs something to copy. */
static int takes(const struct way *w, enum p2p_pattern pattern, uint64_t size)
{
    return w->kind != WAY_READV || (pattern == P2P_STREAM && size > 0);
}

static void block(struct bench *b, struct way *w, enum p2p_pattern pattern, uint64_t size, int counts)
{
    enum { BLOCK_LIMIT_NS = 60000000 };
    uint64_t start_ns = clock_monotonic_ns();
    if (!takes(w, pattern, size))
        return;
    for (uint32_t i = 0; i < BLOCK; i++)
        if (!attempt(b, w, pattern, size, counts && i >= SETTLE, i <= SETTLE || clock_monotonic_ns() - start_ns < BLOCK_LIMIT_NS))
            return;
}

static void print_row(struct bench *b, struct way *w, enum p2p_pattern pattern, uint64_t size)
{
    run_sort(w->sample_s, w->samples);
    struct run_summary s = run_summary_of(w->sample_s, w->samples);
    printf("{\"source\":\"run\",\"collective\":\"p2p\",\"algorithm\":\"%s\",\"protocol\":\"%s\",\"mpi\":\"%s\",\"node\":\"host\","
           "\"procs\":2,\"placement\":\"%s\",\"root\":0,\"buffers\":\"warm\",\"backend\":\"procs\",\"size_bytes\":%llu,"
           "\"messages\":%u,\"time_s\":%.6g,\"time_min_s\":%.6g,\"time_p99_s\":%.6g,\"ci_low_s\":%.6g,\"ci_high_s\":%.6g,"
           "\"reps\":%u,\"verified\":true",
           p2p_pattern_name(pattern), w->label, b->plan.name, b->contest.crowded ? "shared" : "compact", (unsigned long long)size,
           p2p_messages(pattern, size), s.median, s.min, s.p99, s.ci_low, s.ci_high, w->samples);
    if (pattern == P2P_STREAM)
        printf(",\"rate_per_s\":%.6g,\"bandwidth_bytes_per_s\":%.6g", 1 / s.median, (double)size / s.median);
    if (b->handovers) {
        run_sort(b->handover_s, b->handovers);
        printf(",\"handover_s\":%.6g", run_summary_of(b->handover_s, b->handovers).median);
    }
    printf("}\n");
}

static void handover_measure(struct bench *b)
{
    double ns;
    if (!b->contest.crowded && b->handovers < PASSES_MAX && probe_state(&b->contest.probe, &ns) == 0)
        b->handover_s[b->handovers++] = ns * 1e-9;
}

/* Rank 0: whether somebody who takes part has not been in time for a few samples. */
static int samples_lack(const struct bench *b, enum p2p_pattern pattern, uint64_t size)
{
    int lack = 0;
    for (uint32_t i = 0; i < b->ways; i++)
        lack |= b->way[i].samples < SAMPLES_LEAST && takes(&b->way[i], pattern, size);
    return lack;
}

/* The first pass warms up; of the others at least two are made, then as many as there is time for. */
static void measure(struct bench *b, enum p2p_pattern pattern, uint64_t size)
{
    uint64_t start_ns = clock_monotonic_ns();
    b->handovers = 0;
    for (uint32_t i = 0; i < b->ways; i++)
        b->way[i].samples = 0;
    for (uint32_t pass = 0; pass <= PASSES_MAX; pass++) {
        double spent_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
        int more = pass < 3 || (pass < 12 && samples_lack(b, pattern, size)) || spent_s < b->plan.time_limit_s;
        if (!contest_agree(&b->contest, more && pass < PASSES_MAX))
            break;
        for (uint32_t i = 0; i < b->ways; i++)
            block(b, &b->way[(i + pass) % b->ways], pattern, size, pass > 0);
        if (pass > 0)
            handover_measure(b);
    }
    for (uint32_t i = 0; i < b->ways && b->rank == 0; i++)
        if (b->way[i].samples > 0)
            print_row(b, &b->way[i], pattern, size);
    fflush(stdout);
}

static unsigned char *area_create(const struct bench *b)
{
    unsigned char *area = NULL;
    size_t bytes = b->area_bytes + 2 * VERIFY_GUARD_BYTES;
    if (posix_memalign((void **)&area, 4096, bytes) != 0)
        fail(b, "buffers", "out of memory", EXIT_FAILURE);
    memset(area, 1, bytes);
    return area + VERIFY_GUARD_BYTES;
}

/* 0 if the kernel lets rank 1 read what rank 0 has. */
static int readv_open(struct bench *b)
{
    uint64_t address[2], mine = (uint64_t)(uintptr_t)b->out;
    int pid[2], my_pid = (int)getpid(), fine = 1, all;
    char byte;
    MPI_Allgather(&mine, 1, MPI_UINT64_T, address, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    MPI_Allgather(&my_pid, 1, MPI_INT, pid, 1, MPI_INT, MPI_COMM_WORLD);
    b->peer_out = address[1 - b->rank];
    b->peer_pid = (pid_t)pid[1 - b->rank];
    struct iovec to = {&byte, 1}, from = {(void *)(uintptr_t)b->peer_out, 1};
    if (b->rank == 1)
        fine = process_vm_readv(b->peer_pid, &to, 1, &from, 1, 0) == 1;
    MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all ? 0 : -EPERM;
}

static int way_open(struct bench *b, struct way *w, const struct channel *channel)
{
    struct comm_bootstrap bootstrap = mpi_bootstrap();
    char reason[COMM_REASON_BYTES] = "";
    if (w->kind == WAY_READV)
        return readv_open(b);
    if (w->kind == WAY_MPI)
        return 0;
    struct endpoint_config config = endpoint_config_default(2, b->rank, channel);
    if (w->fragment_bytes)
        config.fragment_bytes = w->fragment_bytes;
    if (w->ring_bytes)
        config.ring_bytes = w->ring_bytes;
    int error = endpoint_create(&config, &bootstrap, &w->endpoint, reason);
    if (error)
        fprintf(stderr, "mpi_p2p: %s: %s\n", w->label, reason);
    return error;
}

static void way_add(struct bench *b, const char *label, enum way_kind kind, const struct channel *channel)
{
    struct way *w = &b->way[b->ways];
    if (b->ways == P2P_WAYS_MAX)
        fail(b, label, "one way too many", EXIT_USAGE);
    *w = (struct way){.label = label, .kind = kind};
    if (kind == WAY_CHANNEL)
        sscanf(label, "%*[^:]:%u:%u", &w->fragment_bytes, &w->ring_bytes);
    if (way_open(b, w, channel) != 0)
        return;
    if (!(w->sample_s = malloc(SAMPLES_MAX * sizeof *w->sample_s)))
        fail(b, "samples", "out of memory", EXIT_FAILURE);
    b->ways++;
}

/* Whether the word is this channel's name, or NAME:FRAGMENT_BYTES[:RING_BYTES]. */
static int word_names(const char *word, const char *name)
{
    size_t n = strcspn(word, ":");
    return strlen(name) == n && strncmp(word, name, n) == 0;
}

/* `all`: the MPI, every channel there is, and readv. */
static void ways_add(struct bench *b, const char *word)
{
    int all = strcmp(word, "all") == 0;
    if (all || strcmp(word, "mpi") == 0)
        way_add(b, "mpi", WAY_MPI, NULL);
    for (const struct channel *const *c = channel_table; *c; c++)
        if (all || word_names(word, channel_name(*c)))
            way_add(b, all ? channel_name(*c) : word, WAY_CHANNEL, *c);
    if (all || strcmp(word, "readv") == 0)
        way_add(b, "readv", WAY_READV, NULL);
}

static void setup(struct bench *b, MPI_Win *win)
{
    if (mpi_contest_create(&b->contest, &b->pool, win) != 0)
        fail(b, "agreement", "no shared memory", EXIT_FAILURE);
    b->area_bytes = p2p_area_bytes(&b->plan);
    b->out = area_create(b);
    b->in = area_create(b);
    for (uint32_t i = 0; i < b->plan.words; i++)
        ways_add(b, b->plan.word[i]);
    if (b->ways == 0)
        fail(b, "--way", "none of them is here", EXIT_USAGE);
}

static void teardown(struct bench *b, MPI_Win *win)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (uint32_t i = 0; i < b->ways; i++) {
        endpoint_destroy(b->way[i].endpoint);
        free(b->way[i].sample_s);
    }
    free(b->out - VERIFY_GUARD_BYTES);
    free(b->in - VERIFY_GUARD_BYTES);
    MPI_Win_free(win);
}

int main(int argc, char **argv)
{
    static struct bench b;
    MPI_Win win;
    int rank, procs;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    b.rank = (uint32_t)rank;
    if (p2p_plan_parse(argc, argv, &b.plan) || b.plan.words == 0 || procs != 2) {
        if (rank == 0)
            fprintf(stderr, "usage: mpi_p2p --way all|mpi|readv|CHANNEL[:FRAGMENT_BYTES[:RING_BYTES]] [--way ...]..."
                            " [--size BYTES,...] [--name NAME] [--time-limit SECONDS], with two ranks\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_USAGE);
    }
    setup(&b, &win);
    for (uint32_t i = 0; i < b.plan.sizes; i++)
        for (int pattern = 0; pattern < P2P_PATTERNS; pattern++)
            measure(&b, (enum p2p_pattern)pattern, b.plan.size_bytes[i]);
    teardown(&b, &win);
    MPI_Finalize();
    return 0;
}
