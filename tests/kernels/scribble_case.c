#include "scribble_case.h"

#include "small_lane.h"
#include "watched_launch.h"

#include "kernels/comm_internal.h"
#include "kernels/launcher.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 60, CALLS_SHORT = 5000, PAGE = 4096, CANARY = 0x5a };
#define WAIT_LIMIT_S 0.15

/* ---- who scribbles: a process that only has the mapping ---- */

struct scribbler {
    struct comm *comm;
    const struct scribble_case *c;
    uint64_t random;
    _Atomic uint64_t *scribbles;
};

static uint32_t draw(struct scribbler *s, uint32_t below)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((s->random >> 33) % below);
}

/* Values that a protocol could take for its own, and such as it could not. */
static uint32_t value(struct scribbler *s, uint32_t now)
{
    switch (draw(s, 6)) {
    case 0:
        return draw(s, UINT32_MAX);
    case 1:
        return draw(s, 16);
    case 2:
        return now + draw(s, 9) - 4;
    case 3:
        return now ^ (uint32_t)1 << draw(s, 32);
    case 4:
        return UINT32_MAX - draw(s, 4);
    default:
        return 0;
    }
}

static void scribble_word(struct scribbler *s, const struct lane *lane)
{
    const struct segment_layout *l = lane->layout;
    const uint32_t count[WORD_KIND_COUNT] = {[WORD_SET_OP] = l->sets,    [WORD_SET_NREADERS] = l->sets,
                                             [WORD_CONTROL] = l->slots,  [WORD_LINE] = l->lines,
                                             [WORD_ACK] = 1,             [WORD_COUNTER] = l->counters,
                                             [WORD_OFFER] = 1};
    uint32_t kind = draw(s, WORD_KIND_COUNT);
    if (count[kind] == 0)
        return;
    atomic_word *word = segment_word(l, lane->base, kind, draw(s, l->procs), draw(s, count[kind]));
    word_store_relaxed(word, value(s, word_load_relaxed(word)));
}

static void scribble_card(struct scribbler *s, const struct lane *lane)
{
    struct peer_card *card = (struct peer_card *)(void *)(lane->base + PEER_CARD_OFFSET +
                                                          segment_word_offset(lane->layout, WORD_OFFER,
                                                                              draw(s, lane->layout->procs), 0));
    atomic_word *half = (atomic_word *)(void *)card + draw(s, sizeof *card / sizeof *half);
    word_store_relaxed(half, value(s, word_load_relaxed(half)));
}

/* Seldom: most of what is written here ends the communicator at once. */
static void scribble_head(struct scribbler *s)
{
    struct segment_head *head = segment_head(&s->comm->plan, s->comm->base);
    struct segment_leave *leave = &head->leave[draw(s, s->c->procs)];
    atomic_word *const words[] = {&head->sleepers, &head->failed, &leave->left, &leave->calls};
    atomic_word *word = words[draw(s, 40) ? 0 : draw(s, 4)];
    word_store_relaxed(word, value(s, word_load_relaxed(word)));
}

static _Noreturn void scribble(struct scribbler *s, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) {
        const struct lane *lane = &s->comm->lane[draw(s, s->comm->lanes)];
        scribble_word(s, lane);
        if (s->c->target == SCRIBBLE_CARDS)
            scribble_card(s, lane);
        if (s->c->target == SCRIBBLE_HEAD)
            scribble_head(s);
        ++*s->scribbles;
        nanosleep(&(struct timespec){.tv_nsec = (long)draw(s, s->c->pause_max_ns + 1)}, NULL);
    }
    _exit(0);
}

/* ---- the ranks ---- */

/* A buffer whose end (or begin) is the end (or begin) of its pages; the page before and the page behind are nobody's. */
struct guarded {
    char *pages, *buffer;
    size_t bytes, size;
};

static int guarded_create(struct guarded *g, size_t size, int at_end)
{
    g->size = size;
    g->bytes = (size + PAGE - 1) / PAGE * PAGE;
    char *space = mmap(NULL, g->bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (space == MAP_FAILED || mprotect(space + PAGE, g->bytes, PROT_READ | PROT_WRITE))
        return -ENOMEM;
    g->pages = space + PAGE;
    g->buffer = g->pages + (at_end ? g->bytes - size : 0);
    memset(g->pages, CANARY, g->bytes);
    return 0;
}

/* A byte of its pages that is not the buffer's has changed. */
static int guarded_overrun(const struct guarded *g)
{
    for (const char *at = g->pages; at < g->pages + g->bytes; at++)
        if ((at < g->buffer || at >= g->buffer + g->size) && *at != CANARY)
            return 1;
    return 0;
}

/* The segment's own neighbours are nobody's either, or running past its ends would go unseen. */
static int segment_guarded(const struct comm *comm)
{
    char line[256];
    int guards = 0;
    unsigned long begin, end, low = (unsigned long)(uintptr_t)comm->base, high = low + comm->plan.total_bytes;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && fgets(line, sizeof line, f)) {
        char rights[5] = "";
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) == 3 && strncmp(rights, "---", 3) == 0)
            guards += (end == low) + (begin == high) + 2 * (begin == high && end == low);
    }
    if (f)
        fclose(f);
    return guards >= 2;
}

struct result {
    uint64_t calls;
    int error, overrun, unguarded;
    char text[COMM_REASON_BYTES];
};

static void guarded_destroy(struct guarded *g, struct result *result)
{
    if (!g->pages)
        return;
    result->overrun = guarded_overrun(g);
    munmap(g->pages - PAGE, g->bytes + 2 * PAGE);
}

static void calls_run(struct launch_rank *self, const struct scribble_case *c, struct comm *comm, uint64_t size, char *buffer)
{
    struct result *mine = self->result;
    uint32_t calls = size < comm->config.lane[0].fragment_bytes ? CALLS_SHORT : CALLS;
    for (uint32_t call = 0; call < calls && !mine->error; call++) {
        mine->error = comm_bcast(comm, buffer, size, call % c->procs);
        mine->calls += mine->error == 0;
    }
    snprintf(mine->text, sizeof mine->text, "%s", comm_error_string(comm));
}

static int body(struct launch_rank *self, void *argument)
{
    const struct scribble_case *c = argument;
    struct result *mine = self->result;
    struct comm_lane lane;
    uint64_t size;
    if (small_lane_make(c->protocol, &lane, &size))
        return -EINVAL;
    struct comm_config config = comm_config_of(self->procs, self->rank, &lane);
    struct comm *comm;
    config.wait_limit_s = WAIT_LIMIT_S;
    config.area_bytes = c->in_area ? size : 0;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    struct scribbler scribbler = {comm, c, c->seed, self->common};
    pid_t parent = getpid(), pid = self->rank == 0 ? fork() : 0;
    if (self->rank == 0 && pid == 0)
        scribble(&scribbler, parent);
    mine->unguarded = !segment_guarded(comm);
    struct guarded own = {0};
    mine->error = guarded_create(&own, size, (c->seed + self->rank) % 2 == 0);
    if (!mine->error)
        calls_run(self, c, comm, size, c->in_area ? comm_area(comm) : own.buffer);
    /* Scribbled over until the last has ended. Until then buffers stay, too: who was fooled into ending a call too soon still has
     * peers that reach for its buffer, and would find nothing there. */
    error = launcher_barrier(self);
    guarded_destroy(&own, mine);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    comm_destroy(comm);
    return error;
}

/* What an honest end may be called: nobody died, and the kernel was never asked to reach where nothing is. */
static int error_allowed(int error)
{
    return error == 0 || error == -EPROTO || error == -ETIMEDOUT;
}

static int judge(const struct scribble_case *c, const struct result *result, struct scribble_count *count, char *reason)
{
    int wrong = 0;
    for (uint32_t r = 0; r < c->procs; r++) {
        const struct result *mine = &result[r];
        int head = c->target == SCRIBBLE_HEAD; /* which may say of anybody that it left, or failed for any reason */
        count->calls += mine->calls;
        count->errors += mine->error != 0;
        if (!mine->overrun && !mine->unguarded && (head || error_allowed(mine->error)))
            continue;
        wrong = -1;
        snprintf(reason, COMM_REASON_BYTES, "rank %u: error %d%s%s: %.150s", r, mine->error,
                 mine->overrun ? ", wrote beside its buffer" : "", mine->unguarded ? ", segment has no guard pages" : "",
                 mine->text);
    }
    return wrong;
}

int scribble_case_run(const struct scribble_case *c, struct scribble_count *count, char *reason)
{
    struct launch_options options = {.procs = c->procs, .timeout_s = HANGS_S, .result_bytes = sizeof(struct result),
                                     .common_bytes = 8};
    struct result *result = calloc(c->procs, sizeof *result);
    struct launch_report report;
    uint64_t scribbles = 0;
    int error = result ? launcher_run(&options, body, (void *)c, result, &scribbles, &report) : -ENOMEM;
    count->scribbles += scribbles;
    if (error)
        snprintf(reason, COMM_REASON_BYTES, "launcher: error %d: %.200s", error, report.reason);
    else
        error = judge(c, result, count, reason);
    free(result);
    return error ? -1 : 0;
}
