#include "tests/model/data_movement.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EMPTY = 0 };

struct rank_state {
    uint32_t next_step, steps;
    struct schedule_step step; /* the current one; peers are ranks */
    int busy, sent, received, began;
    uint64_t blocks_sent, messages_out;
};

struct world {
    const struct schedule *schedule;
    const struct numbering *numbering;
    uint32_t procs;
    struct rank_state *ranks;
    uint32_t *place; /* [rank*procs + place], EMPTY or the name of what lies there */
    struct data_movement sums;
};

static char complaint[200];

__attribute__((format(printf, 1, 2))) static const char *wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(complaint, sizeof complaint, format, args);
    va_end(args);
    return complaint;
}

/* A block is named after the rank whose it is; parts of a broadcast, which are nobody's, by their number. */
static uint32_t name_of(const struct world *w, uint32_t block)
{
    int own_number = w->schedule->algorithm->kind == SCHEDULE_BCAST || (w->numbering && w->numbering->remap == NUMBERING_EXCH);
    return 1 + (own_number ? block : numbering_rank(w->numbering, block));
}

static uint32_t *place_of(const struct world *w, uint32_t rank, uint32_t block)
{
    return &w->place[(size_t)rank * w->procs + schedule_place(w->schedule, numbering_virtual(w->numbering, rank), block)];
}

static void place_first(struct world *w)
{
    uint32_t root = numbering_rank(w->numbering, w->schedule->root);
    for (uint32_t rank = 0; rank < w->procs; rank++)
        for (uint32_t block = 0; block < w->procs; block++) {
            int own = block == numbering_virtual(w->numbering, rank) && !schedule_step_trades(w->numbering, rank, 0);
            if (w->schedule->algorithm->kind == SCHEDULE_ALLGATHER ? own : rank == root)
                *place_of(w, rank, block) = name_of(w, block);
        }
}

static const char *check_partner(const struct world *w, uint32_t rank, uint32_t partner, const struct schedule_blocks *blocks)
{
    if (partner == SCHEDULE_NONE)
        return blocks->count ? wrong("rank %u: %u blocks and no partner", rank, blocks->count) : NULL;
    if (partner >= w->procs || partner == rank)
        return wrong("rank %u: partner %u", rank, partner);
    if (blocks->count == 0 || blocks->count > w->procs || blocks->first >= w->procs)
        return wrong("rank %u: %u blocks from %u on", rank, blocks->count, blocks->first);
    return NULL;
}

static const char *check_step(const struct world *w, uint32_t rank, const struct schedule_step *step)
{
    const char *why = check_partner(w, rank, step->send_to, &step->send);
    if (!why)
        why = check_partner(w, rank, step->receive_from, &step->receive);
    for (uint32_t i = 0; !why && i < step->send.count; i++) {
        uint32_t block = schedule_block(w->schedule, &step->send, i);
        int trades = block == rank && schedule_step_trades(w->numbering, rank, w->ranks[rank].next_step - 1);
        if (!trades && *place_of(w, rank, block) != name_of(w, block))
            why = wrong("rank %u sends block %u in round %u and does not have it", rank, block, step->round);
    }
    if (!why && step->send_to == SCHEDULE_NONE && step->receive_from == SCHEDULE_NONE)
        why = wrong("rank %u idles in round %u", rank, step->round);
    return why;
}

/* The block at each place goes where it says; of no memory, -1. */
static int move_within(struct world *w, uint32_t rank, uint32_t (*to)(const struct world *, uint32_t place, uint32_t shift),
                       uint32_t shift)
{
    uint32_t *places = &w->place[(size_t)rank * w->procs], *before = malloc(w->procs * sizeof *before);
    if (!before)
        return -1;
    memcpy(before, places, w->procs * sizeof *before);
    for (uint32_t j = 0; j < w->procs; j++)
        places[to(w, j, shift)] = before[j];
    free(before);
    return 0;
}

static uint32_t rotated(const struct world *w, uint32_t place, uint32_t shift)
{
    return (place + shift) % w->procs;
}

static uint32_t permuted(const struct world *w, uint32_t place, uint32_t shift)
{
    return numbering_rank(w->numbering, rotated(w, place, shift));
}

static const char *rotate(struct world *w, uint32_t rank, const struct schedule_step *step)
{
    if (move_within(w, rank, rotated, step->shift))
        return wrong("no memory");
    w->sums.rotations++;
    return step->shift == 0 || step->shift >= w->procs ? wrong("rank %u rotates by %u", rank, step->shift) : NULL;
}

static const char *permute(struct world *w, uint32_t rank, const struct schedule_step *step)
{
    if (move_within(w, rank, permuted, step->shift))
        return wrong("no memory");
    w->sums.permutations++;
    return w->ranks[rank].next_step == w->ranks[rank].steps ? NULL : wrong("rank %u goes on after its permutation", rank);
}

/* Takes up a rank's next steps, up to one that needs a partner. */
static const char *begin(struct world *w, uint32_t rank)
{
    struct rank_state *r = &w->ranks[rank];
    const char *why = NULL;
    while (!why && !r->busy && r->next_step < r->steps) {
        uint32_t round_before = r->step.round;
        schedule_step_numbered(w->schedule, w->numbering, rank, r->next_step++, &r->step);
        if (r->began && r->step.round <= round_before)
            return wrong("rank %u goes from round %u to %u", rank, round_before, r->step.round);
        r->began = 1;
        if (r->step.round >= w->sums.rounds)
            w->sums.rounds = r->step.round + 1;
        if (r->step.op == SCHEDULE_ROTATE) {
            why = rotate(w, rank, &r->step);
            continue;
        }
        if (r->step.op == SCHEDULE_PERMUTE) {
            why = permute(w, rank, &r->step);
            continue;
        }
        why = check_step(w, rank, &r->step);
        r->busy = 1;
        r->sent = r->step.send_to == SCHEDULE_NONE;
        r->received = r->step.receive_from == SCHEDULE_NONE;
    }
    return why;
}

static void count_region(struct world *w, uint32_t from, uint32_t to, uint32_t blocks)
{
    uint32_t region = w->schedule->region;
    if (numbering_virtual(w->numbering, from) / region == numbering_virtual(w->numbering, to) / region)
        return;
    w->sums.messages_between++;
    w->sums.blocks_between += blocks;
    w->ranks[from].messages_out++;
}

static const char *deliver(struct world *w, uint32_t from, uint32_t to)
{
    struct rank_state *sender = &w->ranks[from], *receiver = &w->ranks[to];
    const struct schedule_step *out = &sender->step, *in = &receiver->step;
    if (out->round != in->round || out->send.count != in->receive.count)
        return wrong("%u sends %u blocks to %u in round %u, who expects %u in round %u", from, out->send.count, to, out->round,
                     in->receive.count, in->round);
    for (uint32_t i = 0; i < out->send.count; i++) {
        uint32_t block = schedule_block(w->schedule, &out->send, i);
        if (block != schedule_block(w->schedule, &in->receive, i))
            return wrong("%u sends block %u to %u, who expects another", from, block, to);
        if (*place_of(w, to, block) != EMPTY)
            return wrong("%u gets block %u a second time", to, block);
        *place_of(w, to, block) = name_of(w, block); /* which the sender had, by check_step() */
    }
    sender->sent = receiver->received = 1;
    sender->blocks_sent += out->send.count;
    w->sums.messages++;
    w->sums.blocks += out->send.count;
    count_region(w, from, to, out->send.count);
    if (numbering_virtual(w->numbering, from) == w->schedule->root)
        w->sums.root_messages++, w->sums.root_blocks += out->send.count;
    return NULL;
}

/* What can go on, goes on, until nothing can. */
static const char *run(struct world *w)
{
    const char *why = NULL;
    for (int moved = 1; moved && !why;) {
        moved = 0;
        for (uint32_t rank = 0; rank < w->procs && !why; rank++) {
            struct rank_state *r = &w->ranks[rank];
            if (r->busy && !r->sent) {
                struct rank_state *to = &w->ranks[r->step.send_to];
                if (to->busy && !to->received && to->step.receive_from == rank)
                    why = deliver(w, rank, r->step.send_to), moved = 1;
            }
            if (r->busy && r->sent && r->received)
                r->busy = 0, moved = 1;
            if (!why)
                why = begin(w, rank);
        }
    }
    return why;
}

static const char *check_end(const struct world *w)
{
    for (uint32_t rank = 0; rank < w->procs; rank++) {
        uint32_t v = numbering_virtual(w->numbering, rank);
        if (w->ranks[rank].busy)
            return wrong("rank %u waits for ever in round %u", rank, w->ranks[rank].step.round);
        int reordered = w->numbering && w->numbering->remap == NUMBERING_REORDER;
        for (uint32_t block = 0; block < w->procs; block++)
            if ((w->schedule->algorithm->kind != SCHEDULE_SCATTER || block == v) &&
                w->place[(size_t)rank * w->procs + block] != (reordered ? 1 + block : name_of(w, block)))
                return wrong("rank %u has no block %u in its place at the end", rank, block);
    }
    return NULL;
}

static void sum_up(struct world *w)
{
    w->sums.steps_least = UINT32_MAX;
    for (uint32_t rank = 0; rank < w->procs; rank++) {
        const struct rank_state *r = &w->ranks[rank];
        w->sums.steps_least = r->steps < w->sums.steps_least ? r->steps : w->sums.steps_least;
        w->sums.steps_most = r->steps > w->sums.steps_most ? r->steps : w->sums.steps_most;
        w->sums.between_most = r->messages_out > w->sums.between_most ? r->messages_out : w->sums.between_most;
        w->sums.sent_most = r->blocks_sent > w->sums.sent_most ? r->blocks_sent : w->sums.sent_most;
    }
}

const char *data_movement_run(const struct schedule *schedule, const struct numbering *numbering, struct data_movement *out)
{
    struct world w = {.schedule = schedule, .numbering = numbering, .procs = schedule->procs};
    w.ranks = calloc(w.procs, sizeof *w.ranks);
    w.place = calloc((size_t)w.procs * w.procs, sizeof *w.place);
    const char *why = w.ranks && w.place ? NULL : wrong("no memory");
    if (!why) {
        place_first(&w);
        for (uint32_t rank = 0; rank < w.procs; rank++)
            w.ranks[rank].steps = schedule_steps_numbered(schedule, numbering, rank);
        for (uint32_t rank = 0; rank < w.procs && !why; rank++)
            why = begin(&w, rank);
    }
    if (!why)
        why = run(&w);
    if (!why)
        why = check_end(&w);
    if (!why)
        sum_up(&w);
    *out = w.sums;
    free(w.ranks);
    free(w.place);
    return why;
}
