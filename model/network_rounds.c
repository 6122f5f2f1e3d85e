#include "model/network_rounds.h"

#include "model/channel.h"
#include "model/channel/channel_way.h"
#include "model/network.h"
#include "model/network_memory.h"
#include "model/numbering.h"
#include "model/schedule.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct rounds {
    const struct scenario *s;
    struct schedule schedule;
    struct loggp loggp;
    struct fat_tree tree;
    struct message_costs costs;
    struct network_memory memory;
    uint32_t per_port; /* ranks that share one */
    uint32_t *next;    /* [procs] step of each rank */
    uint64_t *busy_ps; /* [links] in the round that `mark` says */
    uint32_t *mark;    /* [links] that round + 1 */
    uint64_t moves;    /* copies of a block with which a rank ends, of a numbering that reorders */
    uint64_t link_ps, switches_ps, inside_ps; /* of this round the most */
    double half_s[NETWORK_HALVES];            /* of it, by one rank */
    int between, between_before;              /* whether a message left its node in this round, in one before */
    struct network_rounds sums;
};

static uint64_t ps_of(double s)
{
    return s > 0 ? (uint64_t)llround(s * 1e12) : 0;
}

static uint64_t block_bytes(const struct rounds *u)
{
    return u->s->job.allgather.block_bytes;
}

static uint32_t core_of(const struct rounds *u, uint32_t rank)
{
    return u->s->placement.core_of_rank[rank];
}

/* Whether bytes of a rank's do not fit its share of the last-level cache. */
static int outgrows(const struct rounds *u, uint32_t rank, uint64_t bytes)
{
    const struct node *node = u->s->machine.node;
    uint32_t sharing = 0, cache = node->core_cache[core_of(u, rank)];
    for (uint32_t r = 0; r < u->s->machine.ppn && r < u->s->job.procs; r++)
        sharing += node->core_cache[core_of(u, r)] == cache;
    return node->llc_bytes > 0 && bytes > node->llc_bytes / (sharing ? sharing : 1);
}

static int is_inside(const struct rounds *u, uint32_t rank, uint32_t other)
{
    return rank / u->s->machine.ppn == other / u->s->machine.ppn;
}

/* ---- between nodes ---- */

static uint64_t link_gap_ps(const struct rounds *u, uint32_t hop, uint32_t hops)
{
    return hop == 0 ? u->loggp.gap_ps : hop == hops - 1 ? u->loggp.receiver_gap_ps : 0;
}

/* Behind what the link has to pass already. */
static void load_link(struct rounds *u, uint32_t round, uint32_t link, uint64_t stream_ps, uint64_t gap_ps)
{
    uint64_t before_ps = u->mark[link] == round + 1 ? u->busy_ps[link] + gap_ps : 0;
    u->mark[link] = round + 1;
    u->busy_ps[link] = before_ps + stream_ps;
    u->link_ps = loggp_later_ps(u->link_ps, u->busy_ps[link]);
}

static void send_between(struct rounds *u, uint32_t round, uint32_t from, uint32_t to, uint64_t bytes)
{
    uint32_t port = from / u->per_port, other = to / u->per_port, turn = fat_tree_turn(&u->tree, port, other);
    struct loggp inner = {.byte_fs = network_link_byte_fs(u->s->machine.network)};
    for (uint32_t hop = 0; hop < 2 * turn; hop++) {
        int is_port = hop == 0 || hop == 2 * turn - 1;
        load_link(u, round, fat_tree_link(&u->tree, port, other, turn, hop), loggp_stream_ps(is_port ? &u->loggp : &inner, bytes),
                  link_gap_ps(u, hop, 2 * turn));
    }
    u->switches_ps = loggp_later_ps(u->switches_ps, (2 * turn - 2) * network_switch_ps(u->s->machine.network));
    u->between = 1;
}

/* ---- within a node ---- */

static struct message message_of(const struct rounds *u, uint32_t from, uint32_t to, uint64_t bytes)
{
    return (struct message){.from_core = core_of(u, from), .to_core = core_of(u, to), .run_bytes = bytes, .runs = 1,
                            .source_cold = outgrows(u, from, bytes),
                            .target_cold = u->s->conditions.buffers == BUFFERS_COLD ||
                                           outgrows(u, to, block_bytes(u) * u->s->job.procs)};
}

/* Whether the receiver's queue, as far as the message fills it, outgrows its cache. */
static int queue_in_memory(const struct rounds *u, uint32_t to, const struct message *m)
{
    uint64_t bytes = message_bytes(m), room = message_queue_bytes(&u->costs, m);
    return outgrows(u, to, bytes < room ? bytes : room);
}

static void work(struct rounds *u, enum network_half half, double s)
{
    u->half_s[half] = fmax(u->half_s[half], s);
}

/* Copies of a rank that sends, receives and then goes on. */
static double exchange_s(struct rounds *u, uint32_t rank, const struct schedule_step *step)
{
    uint32_t node = rank / u->s->machine.ppn;
    double sender_s = 0, receiver_s = 0, latency_s = 0;
    if (step->send_to != SCHEDULE_NONE && is_inside(u, rank, step->send_to)) {
        struct message out = message_of(u, rank, step->send_to, block_bytes(u) * step->send.count);
        sender_s = message_sender_s(&u->costs, &out);
        network_memory_send(&u->memory, node, &out, queue_in_memory(u, step->send_to, &out));
    }
    if (step->receive_from != SCHEDULE_NONE && is_inside(u, rank, step->receive_from)) {
        struct message in = message_of(u, step->receive_from, rank, block_bytes(u) * step->receive.count);
        receiver_s = message_receiver_s(&u->costs, &in);
        latency_s = message_latency_s(&u->costs, &in);
        network_memory_receive(&u->memory, node, &in, queue_in_memory(u, rank, &in));
    }
    work(u, NETWORK_HALF_OUT, sender_s);
    work(u, NETWORK_HALF_IN, receiver_s);
    return sender_s + receiver_s + latency_s;
}

/* Of a rotation all blocks, which is free where nodes share nothing, as in the closed forms. */
static uint64_t blocks_moved(const struct rounds *u, const struct schedule_step *step)
{
    if (step->op == SCHEDULE_PERMUTE)
        return u->moves;
    return u->s->machine.network->kind == NETWORK_LOGGP || u->s->machine.ppn == 1 ? 0 : u->s->job.procs;
}

/* Moves within a rank. */
static double move_s(struct rounds *u, uint32_t rank, const struct schedule_step *step)
{
    uint64_t block = block_bytes(u), blocks = blocks_moved(u, step), one = step->op == SCHEDULE_PERMUTE;
    int cold = outgrows(u, rank, 2 * block * u->s->job.procs);
    if (block == 0 || blocks == 0)
        return 0;
    double s = one ? (double)blocks * message_move_s(&u->costs, block, cold) : message_move_s(&u->costs, block * blocks, cold);
    if (cold)
        network_memory_move(&u->memory, rank / u->s->machine.ppn, core_of(u, rank), (double)block * (double)blocks);
    work(u, NETWORK_HALF_IN, s);
    return s;
}

/* ---- the sum ---- */

static void count(struct rounds *u, uint32_t rank, const struct schedule_step *step)
{
    uint64_t bytes = block_bytes(u) * step->send.count;
    int inside = is_inside(u, rank, step->send_to);
    *(inside ? &u->sums.messages_inside : &u->sums.messages_between) += 1;
    *(inside ? &u->sums.bytes_inside : &u->sums.bytes_between) += bytes;
    if (inside)
        return;
    send_between(u, step->round, rank, step->send_to, bytes);
    network_memory_nic(&u->memory, rank / u->s->machine.ppn, core_of(u, rank), (double)bytes);
    network_memory_nic(&u->memory, step->send_to / u->s->machine.ppn, core_of(u, step->send_to), (double)bytes);
}

static void take_step(struct rounds *u, uint32_t rank, uint32_t round)
{
    struct schedule_step step;
    if (u->next[rank] >= schedule_steps_numbered(&u->schedule, u->s->numbering, rank))
        return;
    schedule_step_numbered(&u->schedule, u->s->numbering, rank, u->next[rank], &step);
    if (step.round != round)
        return;
    u->next[rank]++;
    double work_s = step.op == SCHEDULE_EXCHANGE ? exchange_s(u, rank, &step) : move_s(u, rank, &step);
    u->inside_ps = loggp_later_ps(u->inside_ps, ps_of(work_s));
    if (step.send_to != SCHEDULE_NONE)
        count(u, rank, &step);
}

/* What the halves take longer than their slowest ranks, since memory has more to do. */
static double short_of_s(const struct rounds *u)
{
    double s = 0;
    for (int half = 0; half < NETWORK_HALVES; half++)
        s += fmax(network_memory_half_s(&u->memory, half) - u->half_s[half], 0);
    return s;
}

/* A port pauses after a message, which delays the next if that takes longer than the way there and the work at both ends. */
static void sum_round(struct rounds *u, uint32_t round)
{
    const struct loggp *p = &u->loggp;
    uint64_t way_ps = 2 * p->overhead_ps + p->latency_ps, pause_ps = loggp_later_ps(p->gap_ps, p->receiver_gap_ps),
             between_ps = 0;
    u->link_ps = u->switches_ps = u->inside_ps = 0;
    u->between = 0;
    u->half_s[NETWORK_HALF_OUT] = u->half_s[NETWORK_HALF_IN] = 0;
    network_memory_clear(&u->memory);
    for (uint32_t rank = 0; rank < u->s->job.procs; rank++)
        take_step(u, rank, round);
    u->inside_ps += ps_of(short_of_s(u));
    u->link_ps = loggp_later_ps(u->link_ps, ps_of(network_memory_whole_s(&u->memory)));
    if (u->between)
        between_ps = way_ps + u->switches_ps + u->link_ps + (u->between_before && pause_ps > way_ps ? pause_ps - way_ps : 0);
    u->between_before |= u->between;
    u->sums.time_ps += loggp_later_ps(between_ps, u->inside_ps);
}

static int rounds_create(struct rounds *u, char *reason, size_t reason_bytes)
{
    const struct machine *machine = &u->s->machine;
    struct scenario inner = *u->s;
    struct message_way way;
    uint32_t procs = u->s->job.procs;
    u->loggp = network_loggp(machine->network);
    u->per_port = machine->network->kind == NETWORK_LOGGP ? 1 : machine->ppn;
    inner.job.procs = machine->ppn;
    inner.channel = &channel_kind_er;
    int err = channel_way_of(&inner, &way, reason, reason_bytes);
    err = err ? err : network_tree(machine->network, (procs - 1) / u->per_port + 1, &u->tree, reason, reason_bytes);
    err = err ? err : schedule_init_regions(&u->schedule, u->s->algorithm, procs, 0, scenario_region(u->s));
    if (err)
        return err;
    message_costs_init(&u->costs, machine->node, &way);
    if (machine->network->kind != NETWORK_LOGGP && machine->ppn > 1 && !machine->node->contention_free)
        err = network_memory_create(&u->memory, machine->node, (procs - 1) / machine->ppn + 1);
    if (u->s->numbering && u->s->numbering->remap == NUMBERING_REORDER)
        u->moves = numbering_moves(u->s->numbering, procs, 0);
    u->next = calloc(procs, sizeof *u->next);
    u->busy_ps = calloc(u->tree.links, sizeof *u->busy_ps);
    u->mark = calloc(u->tree.links, sizeof *u->mark);
    if (!err && u->next && u->busy_ps && u->mark)
        return 0;
    snprintf(reason, reason_bytes, "no memory for the links of %u ranks", procs);
    return -ENOMEM;
}

static int check(const struct rounds *u, char *reason, size_t reason_bytes)
{
    uint64_t rounds = schedule_rounds_numbered(&u->schedule, u->s->numbering), all;
    if (rounds * u->s->job.procs > NETWORK_ROUNDS_STEPS_MAX) {
        snprintf(reason, reason_bytes, "%llu rounds of %u ranks are too many to sum up: use fewer", (unsigned long long)rounds,
                 u->s->job.procs);
        return -ENOTSUP;
    }
    int overflows = __builtin_mul_overflow(block_bytes(u), (uint64_t)u->s->job.procs * u->s->machine.ppn, &all);
    if (!overflows && loggp_fits(&u->loggp, &u->schedule, all))
        return 0;
    snprintf(reason, reason_bytes, "%llu bytes among %u ranks take longer than 53 days: use less, or a faster network",
             (unsigned long long)block_bytes(u), u->s->job.procs);
    return -EINVAL;
}

int network_rounds_sum(const struct scenario *scenario, struct network_rounds *out, char *reason, size_t reason_bytes)
{
    struct rounds u = {.s = scenario};
    int err = rounds_create(&u, reason, reason_bytes);
    err = err ? err : check(&u, reason, reason_bytes);
    for (uint32_t round = 0; !err && round < schedule_rounds_numbered(&u.schedule, scenario->numbering); round++)
        sum_round(&u, round);
    if (!err && u.costs.missing[0]) {
        snprintf(reason, reason_bytes,
                 "node %s does not say what a %s costs, which messages between its ranks need: calibrate it",
                 scenario->machine.node->name, u.costs.missing);
        err = -ENOTSUP;
    }
    if (!err)
        *out = u.sums;
    free(u.next);
    free(u.busy_ps);
    free(u.mark);
    network_memory_destroy(&u.memory);
    return err;
}
