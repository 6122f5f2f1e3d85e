#include "model/schedule_cost.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOAD_READ = 1, LOAD_WRITE = 2, LOAD_COPY = 3 };

/* Copies that one place has to bear in a round, in thirds of a byte copied, and by how many ranks. */
struct load {
    double thirds;
    uint32_t ranks;
};

/* The halves of a round. What is fetched, or moved within a rank, belongs to the second. */
enum half { HALF_IN, HALF_OUT, HALVES };

struct summing {
    const struct schedule_question *q;
    struct message_costs costs;
    uint32_t procs;
    struct schedule_step *step; /* [rank] in this round */
    uint32_t *next;             /* [rank] the step after it */
    uint64_t moves;             /* copies of a block with which a rank ends, of a numbering that reorders */
    double *sender_s, *receiver_s; /* [core] work of its ranks in this round */
    struct load *memory; /* [domain*HALVES + half] */
    uint32_t *loaded;    /* [(domain*HALVES + half)*procs + rank] the last sum in which the rank loaded it */
    uint32_t sums;       /* begun */
    double *link_bytes;  /* [socket*HALVES + half] that come in */
    uint32_t *at_cache;  /* [rank] ranks at its last-level cache */
    struct schedule_answer answer;
};

static uint32_t core_of(const struct summing *u, uint32_t rank)
{
    return u->q->core_of_rank[rank];
}

/* Whether bytes of the user's do not fit the rank's share of its last-level cache. */
static int outgrows(const struct summing *u, uint32_t rank, uint64_t bytes)
{
    uint64_t llc_bytes = u->q->node->llc_bytes;
    return llc_bytes > 0 && bytes > llc_bytes / u->at_cache[rank];
}

static int target_cold(const struct summing *u, uint32_t rank)
{
    return u->q->cold || outgrows(u, rank, u->q->block_bytes * u->procs);
}

/* What a rank sends to its partner in this round. */
static struct message message_of(const struct summing *u, uint32_t from)
{
    const struct schedule_step *step = &u->step[from];
    const struct schedule_blocks *b = &step->send;
    struct message m = {.from_core = core_of(u, from), .to_core = core_of(u, step->send_to), .runs = 1};
    m.run_bytes = u->q->block_bytes;
    if (b->stride == 1)
        m.run_bytes *= b->count;
    else
        m.runs = b->count;
    /* The own block is what it was before the call, or has just been put in its place. */
    int as_it_was = u->next[from] == 1 && (u->q->in_place || schedule_step_trades(u->q->numbering, from, 0));
    m.source_cold = (as_it_was && u->q->cold) || outgrows(u, from, message_bytes(&m));
    m.target_cold = target_cold(u, step->send_to);
    return m;
}

static void load_memory(struct summing *u, uint32_t domain, enum half half, uint32_t rank, double thirds)
{
    struct load *load = &u->memory[domain * HALVES + half];
    if (!(thirds > 0))
        return;
    uint32_t *last = &u->loaded[((size_t)domain * HALVES + half) * u->procs + rank];
    load->ranks += *last != u->sums;
    *last = u->sums;
    load->thirds += thirds;
}

/* Which memory the two sides of a message touch; the queue's only if it outgrows the cache. */
static void load_message(struct summing *u, uint32_t from, const struct message *m)
{
    const struct node *node = u->q->node;
    uint32_t to = u->step[from].send_to, home = node->core_domain[m->from_core], away = node->core_domain[m->to_core];
    uint64_t all = message_bytes(m), room = message_queue_bytes(&u->costs, m), queue = all < room ? all : room;
    int fetched = message_is_fetched(&u->costs, m), queue_in_memory = !fetched && outgrows(u, to, queue);
    enum half first = fetched ? HALF_OUT : HALF_IN;
    double bytes = (double)all;
    load_memory(u, home, first, fetched ? to : from, m->source_cold ? LOAD_READ * bytes : 0);
    load_memory(u, away, first, from, queue_in_memory ? LOAD_WRITE * bytes : 0);
    load_memory(u, away, HALF_OUT, to, ((queue_in_memory ? LOAD_READ : 0) + (m->target_cold ? LOAD_WRITE : 0)) * bytes);
    if (node->core_socket[m->from_core] != node->core_socket[m->to_core])
        u->link_bytes[node->core_socket[m->to_core] * HALVES + first] += bytes;
}

static void begin_round(struct summing *u)
{
    const struct node *node = u->q->node;
    u->sums++;
    for (uint32_t core = 0; core < node->cores; core++)
        u->sender_s[core] = u->receiver_s[core] = 0;
    for (uint32_t d = 0; d < node->domains * HALVES; d++)
        u->memory[d] = (struct load){0};
    for (uint32_t s = 0; s < node->sockets * HALVES; s++)
        u->link_bytes[s] = 0;
}

/* Copies within a rank. */
static void add_move(struct summing *u, uint32_t rank, uint64_t bytes, int cold)
{
    double time_s = message_move_s(&u->costs, bytes, cold);
    u->receiver_s[core_of(u, rank)] += time_s;
    u->answer.copy_s += time_s;
    load_memory(u, u->q->node->core_domain[core_of(u, rank)], HALF_OUT, rank, cold ? LOAD_COPY * (double)bytes : 0);
}

static void add_reordering(struct summing *u, uint32_t rank)
{
    int cold = outgrows(u, rank, u->q->block_bytes * u->procs);
    for (uint64_t i = 0; i < u->moves; i++)
        add_move(u, rank, u->q->block_bytes, cold);
}

static void add_message(struct summing *u, uint32_t from)
{
    struct message m = message_of(u, from);
    double sender_s = message_sender_s(&u->costs, &m), receiver_s = message_receiver_s(&u->costs, &m);
    u->sender_s[m.from_core] += sender_s;
    u->receiver_s[m.to_core] += receiver_s;
    u->answer.copy_s += sender_s + receiver_s;
    load_message(u, from, &m);
}

/* Seconds that the scarcest memory or link needs for half a round. */
static double scarcest_s(const struct summing *u, enum half half)
{
    const struct node *node = u->q->node;
    double worst_s = 0;
    for (uint32_t d = 0; d < node->domains && !node->contention_free; d++) {
        const struct load *load = &u->memory[d * HALVES + half];
        double limit = load->ranks ? node_bandwidth_bytes_per_s(node, load->ranks) : NAN;
        if (limit > 0)
            worst_s = fmax(worst_s, load->thirds / LOAD_COPY / limit);
    }
    for (uint32_t s = 0; s < node->sockets && quantity_known(&node->link_bytes_per_s) && !node->contention_free; s++)
        worst_s = fmax(worst_s, u->link_bytes[s * HALVES + half] / node->link_bytes_per_s.value);
    return worst_s;
}

/* Until what `from` sends is with its partner: both have sent before either copies out. */
static double exchange_s(struct summing *u, uint32_t from, double *latency_s)
{
    struct message m = message_of(u, from);
    *latency_s = message_latency_s(&u->costs, &m);
    return fmax(u->sender_s[m.from_core], u->sender_s[m.to_core]) + *latency_s + u->receiver_s[m.to_core];
}

/* What the halves take longer than their slowest cores. */
static double short_of_s(const struct summing *u)
{
    double sender_s = 0, receiver_s = 0;
    for (uint32_t core = 0; core < u->q->node->cores; core++) {
        sender_s = fmax(sender_s, u->sender_s[core]);
        receiver_s = fmax(receiver_s, u->receiver_s[core]);
    }
    return fmax(scarcest_s(u, HALF_IN) - sender_s, 0) + fmax(scarcest_s(u, HALF_OUT) - receiver_s, 0);
}

static void end_round(struct summing *u)
{
    double slowest_s = 0, latency_s = 0, limit_s = short_of_s(u);
    for (uint32_t core = 0; core < u->q->node->cores; core++)
        slowest_s = fmax(slowest_s, u->sender_s[core] + u->receiver_s[core]);
    for (uint32_t rank = 0; rank < u->procs; rank++) {
        double passing_s = 0, time_s = u->step[rank].send_to == SCHEDULE_NONE ? 0 : exchange_s(u, rank, &passing_s);
        if (time_s > slowest_s) {
            slowest_s = time_s;
            latency_s = passing_s;
        }
    }
    u->answer.time_s += slowest_s + limit_s;
    u->answer.latency_s += latency_s;
    u->answer.limit_s += limit_s;
}

/* A rank's next step, if it is of that round. */
static void take_step(struct summing *u, uint32_t rank, uint32_t round)
{
    const struct schedule_question *q = u->q;
    struct schedule_step *step = &u->step[rank];
    if (u->next[rank] < schedule_steps_numbered(q->schedule, q->numbering, rank)) {
        schedule_step_numbered(q->schedule, q->numbering, rank, u->next[rank], step);
        if (step->round == round) {
            u->next[rank]++;
            return;
        }
    }
    *step = (struct schedule_step){.send_to = SCHEDULE_NONE, .receive_from = SCHEDULE_NONE};
}

static void sum_round(struct summing *u, uint32_t round)
{
    begin_round(u);
    for (uint32_t rank = 0; rank < u->procs; rank++) {
        struct schedule_step *step = &u->step[rank];
        take_step(u, rank, round);
        if (step->op == SCHEDULE_PERMUTE)
            add_reordering(u, rank);
        else if (step->send_to != SCHEDULE_NONE)
            add_message(u, rank);
    }
    end_round(u);
}

/* Whether a rank's block has first to go to where it belongs, or to the place of the rank's number. */
static int is_placed(const struct summing *u, uint32_t rank)
{
    const struct numbering *n = u->q->numbering;
    if (n && n->remap == NUMBERING_REORDER && numbering_virtual(n, rank) != rank)
        return 1;
    return !u->q->in_place && !schedule_step_trades(n, rank, 0);
}

static void sum_placing(struct summing *u)
{
    begin_round(u);
    for (uint32_t rank = 0; rank < u->procs; rank++) {
        u->step[rank] = (struct schedule_step){.send_to = SCHEDULE_NONE, .receive_from = SCHEDULE_NONE};
        if (is_placed(u, rank))
            add_move(u, rank, u->q->block_bytes, target_cold(u, rank));
    }
    end_round(u);
}

static int summing_create(struct summing *u, const struct schedule_question *q)
{
    const struct node *node = q->node;
    *u = (struct summing){.q = q, .procs = q->schedule->procs};
    message_costs_init(&u->costs, node, &q->way);
    u->step = calloc(u->procs, sizeof *u->step);
    u->next = calloc(u->procs, sizeof *u->next);
    u->sender_s = calloc(node->cores, sizeof *u->sender_s);
    u->receiver_s = calloc(node->cores, sizeof *u->receiver_s);
    u->memory = calloc((size_t)node->domains * HALVES, sizeof *u->memory);
    u->loaded = calloc((size_t)node->domains * HALVES * u->procs, sizeof *u->loaded);
    u->link_bytes = calloc((size_t)node->sockets * HALVES, sizeof *u->link_bytes);
    u->at_cache = calloc(u->procs, sizeof *u->at_cache);
    return u->step && u->next && u->sender_s && u->receiver_s && u->memory && u->loaded && u->link_bytes && u->at_cache ? 0
                                                                                                                        : -ENOMEM;
}

static void summing_destroy(struct summing *u)
{
    free(u->step);
    free(u->next);
    free(u->sender_s);
    free(u->receiver_s);
    free(u->memory);
    free(u->loaded);
    free(u->link_bytes);
    free(u->at_cache);
}

static void count_at_caches(struct summing *u)
{
    const uint32_t *cache = u->q->node->core_cache;
    for (uint32_t r = 0; r < u->procs; r++)
        for (uint32_t other = 0; other < u->procs; other++)
            u->at_cache[r] += cache[core_of(u, r)] == cache[core_of(u, other)];
}

static void sum_up(struct summing *u)
{
    const struct node *node = u->q->node;
    u->answer.time_s = node->contention_free ? 0 : quantity_or(&node->call_ns, 0) * 1e-9;
    count_at_caches(u);
    if (u->q->numbering && u->q->numbering->remap == NUMBERING_REORDER)
        u->moves = numbering_moves(u->q->numbering, u->procs, 0);
    sum_placing(u);
    for (uint32_t round = 0; round < schedule_rounds_numbered(u->q->schedule, u->q->numbering); round++)
        sum_round(u, round);
}

static int check(const struct schedule_question *q, char *reason, size_t reason_bytes)
{
    const struct schedule *s = q->schedule;
    if (s->algorithm->kind != SCHEDULE_ALLGATHER || q->way.fragment_bytes == 0 || q->way.queue_bytes < q->way.fragment_bytes) {
        snprintf(reason, reason_bytes, "%s with fragments of %u and queues of %u bytes is no Allgather", s->algorithm->name,
                 q->way.fragment_bytes, q->way.queue_bytes);
        return -EINVAL;
    }
    if (s->procs > SCHEDULE_COST_PROCS_MAX) {
        snprintf(reason, reason_bytes, "the model steps through the schedules of at most %d ranks", SCHEDULE_COST_PROCS_MAX);
        return -ENOTSUP;
    }
    return 0;
}

int schedule_cost(const struct schedule_question *question, struct schedule_answer *out, char *reason, size_t reason_bytes)
{
    struct summing u;
    int err = check(question, reason, reason_bytes);
    if (err)
        return err;
    err = summing_create(&u, question);
    if (err)
        snprintf(reason, reason_bytes, "no memory for the steps of %u ranks", question->schedule->procs);
    else
        sum_up(&u);
    if (!err && u.costs.missing[0]) {
        snprintf(reason, reason_bytes, "node %s does not say what a %s costs; calibrate it", question->node->name,
                 u.costs.missing);
        err = -ENOTSUP;
    }
    if (!err)
        *out = u.answer;
    summing_destroy(&u);
    return err;
}
