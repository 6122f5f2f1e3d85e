/* Mutants of the protocols that follow other MPI libraries. */
#include "tests/interleavings/mutants.h"

#include "model/protocol/banked.h"
#include "model/protocol/release_gather.h"
#include "model/protocol/slot_ring.h"

/* States beyond those of the real programs: the step before is still owed. */
enum { OWES = 100 };

typedef void next_fn(struct cursor *c, uint32_t seen, struct step *out);

/* Leaves out every step of that operation and name. */
static void next_without(next_fn *next, uint32_t op, uint32_t name, struct cursor *c, uint32_t seen, struct step *out)
{
    next(c, seen, out);
    while (out->op == op && out->name == name)
        next(c, seen, out);
}

/* Takes the step of `state` and the one after it the other way round; both must be steps that never end the call. */
static void next_swapped(next_fn *next, uint32_t state, struct cursor *c, uint32_t seen, struct step *out)
{
    struct step skipped;
    if (c->state == OWES) {
        c->state = state;
        next(c, seen, out);
        next(c, seen, &skipped);
    } else if (c->state == state) {
        struct cursor after = *c;
        next(&after, seen, &skipped);
        next(&after, seen, out);
        c->state = OWES;
    } else {
        next(c, seen, out);
    }
}

static void ring_n_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    next_swapped(slot_ring_next, SLOT_RING_ROOT_C, c, seen, out);
}

static void ring_no_w(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(slot_ring_next, STEP_WAIT_EQ, STEP_NAME_W, c, seen, out);
}

/* Slots hold older numbers or the one that is waited for, never newer ones. */
static void ring_w_at_least(struct cursor *c, uint32_t seen, struct step *out)
{
    slot_ring_next(c, seen, out);
    if (out->op == STEP_WAIT_EQ && out->name == STEP_NAME_W)
        out->op = STEP_WAIT_GE;
}

/* The others do not wait for rank 0 to leave the barrier. */
static void ring_no_leave(struct cursor *c, uint32_t seen, struct step *out)
{
    slot_ring_next(c, seen, out);
    if (out->op == STEP_WAIT_EQ && out->name == STEP_NAME_B && c->call->rank != 0)
        slot_ring_next(c, seen, out);
}

/* Rank 0 opens the barrier when the first has come. */
static void ring_barrier_of_two(struct cursor *c, uint32_t seen, struct step *out)
{
    slot_ring_next(c, seen, out);
    while (out->op == STEP_WAIT_EQ && out->name == STEP_NAME_B && c->call->rank == 0 && out->owner > 1)
        slot_ring_next(c, seen, out);
}

static void ring_no_arrival(struct cursor *c, uint32_t seen, struct step *out)
{
    slot_ring_next(c, seen, out);
    if (out->op == STEP_STORE && out->name == STEP_NAME_B && c->call->rank != 0)
        slot_ring_next(c, seen, out);
}

/* Says that it has come to the barrier before its last copy. */
static void ring_arrival_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    struct cursor after = *c;
    struct step skipped;
    if (c->state == OWES) {
        c->state = SLOT_RING_READER_C;
        slot_ring_next(c, seen, out);
        slot_ring_next(c, seen, &skipped);
        return;
    }
    if (c->state == SLOT_RING_READER_C) {
        slot_ring_next(&after, seen, &skipped);
        if (after.state == SLOT_RING_B_ARRIVE) {
            slot_ring_next(&after, seen, out);
            c->state = OWES;
            return;
        }
    }
    slot_ring_next(c, seen, out);
}

/* Meets in every second lap only. */
static void ring_second_lap(struct cursor *c, uint32_t seen, struct step *out)
{
    slot_ring_next(c, seen, out);
    while (out->name == STEP_NAME_B && out->op != STEP_DONE && (out->value & c->call->slots))
        slot_ring_next(c, seen, out);
}

static void ring_psn_astray(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    slot_ring_start(c, call, op + (call->rank == 2 && call->root == 1));
}

static void bank_no_ws(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(banked_next, STEP_WAIT_EQ, STEP_NAME_WS, c, seen, out);
}

static void bank_claim_one_less(struct cursor *c, uint32_t seen, struct step *out)
{
    banked_next(c, seen, out);
    if (out->op == STEP_STORE && out->name == STEP_NAME_WS)
        out->value--;
}

/* Only notifies, as S1 describes the tree, but the children go on reading their parent's slot. */
static void bank_no_between(struct cursor *c, uint32_t seen, struct step *out)
{
    banked_next(c, seen, out);
    if (out->op == STEP_COPY && out->to.kind == PLACE_SLOT && c->call->rank != c->call->root)
        banked_next(c, seen, out);
}

static void bank_n_before_between(struct cursor *c, uint32_t seen, struct step *out)
{
    struct step skipped;
    if (c->state == OWES) {
        c->state = BANKED_READER_BETWEEN;
        banked_next(c, seen, out);
        c->state = c->children > 1 ? PIPELINED_READER_N : PIPELINED_READER_C;
        c->child = 1;
    } else if (c->state == BANKED_READER_BETWEEN) {
        banked_next(c, seen, &skipped);
        banked_next(c, seen, out);
        c->state = OWES;
    } else {
        banked_next(c, seen, out);
    }
}

static void bank_no_reset(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(banked_next, STEP_STORE, STEP_NAME_W, c, seen, out);
}

/* Leaves the bank before the last copy out of it: at once, or only where that copy is from the own slot. */
static void bank_a_before_c_if(int interior, struct cursor *c, uint32_t seen, struct step *out)
{
    struct cursor after = *c;
    struct step skipped;
    if (c->state == OWES) {
        c->state = PIPELINED_READER_C;
        banked_next(c, seen, out);
        banked_next(c, seen, &skipped);
        return;
    }
    if (c->state == PIPELINED_READER_C && (c->children > 0) == interior) {
        banked_next(&after, seen, &skipped);
        if (after.state == PIPELINED_READER_A) {
            banked_next(&after, seen, out);
            c->state = OWES;
            return;
        }
    }
    banked_next(c, seen, out);
}

static void bank_a_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    bank_a_before_c_if(0, c, seen, out);
}

/* Nobody but the rank itself fills its slots, so this is right. */
static void bank_a_before_own_c(struct cursor *c, uint32_t seen, struct step *out)
{
    bank_a_before_c_if(1, c, seen, out);
}

static void bank_no_a(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(banked_next, STEP_ADD, STEP_NAME_A, c, seen, out);
}

/* The gather half never waits nor looks, but still counts. */
static void tree_no_wk(struct cursor *c, uint32_t seen, struct step *out)
{
    release_gather_next(c, seen, out);
    while (out->op == STEP_WAIT_GE && out->name == STEP_NAME_WK)
        release_gather_next(c, out->value - 1, out);
}

static void tree_wk_one_late(struct cursor *c, uint32_t seen, struct step *out)
{
    int looked = c->state == RELEASE_GATHER_LOOKED;
    release_gather_next(c, looked ? seen + 1 : seen, out);
    if (out->name == STEP_NAME_WK)
        out->value--;
}

/* Looks at the children every time: slower, and as right. */
static void tree_no_skip(struct cursor *c, uint32_t seen, struct step *out)
{
    int looked = c->state == RELEASE_GATHER_LOOKED;
    release_gather_next(c, looked ? release_gather_needed(c) - 1 : seen, out);
}

/* An interior rank speaks for itself, not for those below. */
static void tree_k_own_only(struct cursor *c, uint32_t seen, struct step *out)
{
    int k = c->state == RELEASE_GATHER_K || c->state == RELEASE_GATHER_LEAST;
    uint32_t own = c->op + 1;
    release_gather_next(c, seen, out);
    if (k && out->name == STEP_NAME_K)
        out->value = own;
}

static void tree_k_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->children == 0 && c->call->rank != c->call->root)
        next_swapped(release_gather_next, RELEASE_GATHER_OUT, c, seen, out);
    else
        release_gather_next(c, seen, out);
}

static void tree_no_k_of_leaves(struct cursor *c, uint32_t seen, struct step *out)
{
    release_gather_next(c, seen, out);
    while (out->name == STEP_NAME_K && out->op == STEP_STORE && c->children == 0)
        release_gather_next(c, seen, out);
}

static void tree_n_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->call->root == 0)
        next_swapped(release_gather_next, RELEASE_GATHER_IN, c, seen, out);
    else
        release_gather_next(c, seen, out);
}

static void tree_n_before_taken(struct cursor *c, uint32_t seen, struct step *out)
{
    next_swapped(release_gather_next, RELEASE_GATHER_TAKE_C, c, seen, out);
}

static void tree_sent_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->call->root != 0)
        next_swapped(release_gather_next, RELEASE_GATHER_IN, c, seen, out);
    else
        release_gather_next(c, seen, out);
}

static void tree_no_taking_wait(struct cursor *c, uint32_t seen, struct step *out)
{
    release_gather_next(c, seen, out);
    if (out->op == STEP_WAIT_EQ && out->name == STEP_NAME_W)
        release_gather_next(c, seen, out);
}

static void tree_no_w(struct cursor *c, uint32_t seen, struct step *out)
{
    release_gather_next(c, seen, out);
    while (out->op == STEP_WAIT_GE && out->name == STEP_NAME_W)
        release_gather_next(c, out->value, out);
}

/* A root that is not rank 0 does not wait for the release of what it has sent. */
static void tree_root_no_w(struct cursor *c, uint32_t seen, struct step *out)
{
    release_gather_next(c, seen, out);
    while (out->op == STEP_WAIT_GE && out->name == STEP_NAME_W && c->call->rank == c->call->root)
        release_gather_next(c, out->value, out);
}

static int supports(const struct bcast_call *call)
{
    (void)call;
    return 0;
}

#define MUTANT(text, of, uses_of, counters_of, start_of, next_of, tree_of, harmless_of)                                        \
    {                                                                                                                          \
        .protocol = {.name = text, .uses = uses_of, .counters = counters_of, .start = start_of, .next = next_of,               \
                     .word_initial = of##_word_initial, .supports = supports},                                                 \
        .tree = tree_of, .harmless = harmless_of                                                                               \
    }
#define RING(text, next_of, harmless) MUTANT(text, slot_ring, PROTOCOL_SLOTS, 0, slot_ring_start, next_of, "flat", harmless)
#define BANK(text, next_of, tree_of, harmless) \
    MUTANT(text, banked, PROTOCOL_SLOTS | PROTOCOL_SETS, 0, banked_start, next_of, tree_of, harmless)
#define TREE(text, next_of, tree_of, harmless) \
    MUTANT(text, release_gather, PROTOCOL_SLOTS, RELEASE_GATHER_COUNTERS, release_gather_start, next_of, tree_of, harmless)

const struct mutant mutants_slot_ring[] = {
    RING("N before C", ring_n_before_c, 0),
    RING("no W", ring_no_w, 0),
    RING("no B of the others", ring_no_leave, 0),
    RING("B of two ranks", ring_barrier_of_two, 0),
    RING("no arrival at B", ring_no_arrival, 0),
    RING("arrival before C", ring_arrival_before_c, 0),
    RING("B every second lap", ring_second_lap, 0),
    MUTANT("psn astray", slot_ring, PROTOCOL_SLOTS, 0, ring_psn_astray, slot_ring_next, "flat", 0),
    RING("W for at least n", ring_w_at_least, 1),
};
const unsigned mutants_slot_ring_count = sizeof mutants_slot_ring / sizeof *mutants_slot_ring;

const struct mutant mutants_banked[] = {
    BANK("no WS", bank_no_ws, "flat", 0),
    BANK("claim p-2", bank_claim_one_less, "chain", 0),
    BANK("no C between slots", bank_no_between, "chain", 0),
    BANK("N before C between", bank_n_before_between, "chain", 0),
    BANK("no reset after W", bank_no_reset, "chain", 0),
    BANK("A before C of leaves", bank_a_before_c, "chain", 0),
    BANK("no A", bank_no_a, "chain", 0),
    BANK("A before C from own", bank_a_before_own_c, "chain", 1),
};
const unsigned mutants_banked_count = sizeof mutants_banked / sizeof *mutants_banked;

const struct mutant mutants_release_gather[] = {
    TREE("no WK", tree_no_wk, "flat", 0),
    TREE("no WK", tree_no_wk, "chain", 0),
    TREE("WK one late", tree_wk_one_late, "flat", 0),
    TREE("K for itself only", tree_k_own_only, "chain", 0),
    TREE("K before C", tree_k_before_c, "flat", 0),
    TREE("no K of leaves", tree_no_k_of_leaves, "flat", 0),
    TREE("N before C", tree_n_before_c, "flat", 0),
    TREE("N before taking", tree_n_before_taken, "flat", 0),
    TREE("sent before C", tree_sent_before_c, "flat", 0),
    TREE("no wait to take", tree_no_taking_wait, "flat", 0),
    TREE("no W", tree_no_w, "chain", 0),
    TREE("no W of the root", tree_root_no_w, "flat", 0),
    TREE("no skipping", tree_no_skip, "chain", 1),
};
const unsigned mutants_release_gather_count = sizeof mutants_release_gather / sizeof *mutants_release_gather;
