/* Mutants of the protocols that use other ranks' buffers. */
#include "tests/interleavings/mutants.h"

#include "model/protocol/cooperative.h"
#include "model/protocol/single_copy.h"

typedef void next_fn(struct cursor *c, uint32_t seen, struct step *out);

/* Leaves out every step of that operation and name. */
static void next_without(next_fn *next, uint32_t op, uint32_t name, struct cursor *c, uint32_t seen, struct step *out)
{
    next(c, seen, out);
    while (out->op == op && out->name == name)
        next(c, seen, out);
}

static void no_we(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(single_copy_next, STEP_WAIT_GE, STEP_NAME_WE, c, seen, out);
}

/* The root waits for one reader too few. */
static void no_last_we(struct cursor *c, uint32_t seen, struct step *out)
{
    single_copy_next(c, seen, out);
    if (c->state == SINGLE_COPY_ROOT_WE && c->child == c->call->procs - 2)
        c->state = SINGLE_COPY_E;
}

static void no_wp(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(single_copy_next, STEP_WAIT_EQ, STEP_NAME_WP, c, seen, out);
}

/* Takes any offer that is not older, as if a root's could not be of a call to come. */
static void stale_offer(struct cursor *c, uint32_t seen, struct step *out)
{
    single_copy_next(c, seen, out);
    if (out->op == STEP_WAIT_EQ && out->name == STEP_NAME_WP) {
        out->op = STEP_WAIT_GE;
        out->value--;
    }
}

static void e_before_last_c(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->state == SINGLE_COPY_READER_C && c->call->size_bytes - c->offset_bytes <= c->call->fragment_bytes && !c->known) {
        single_copy_word(c, out, STEP_STORE, STEP_NAME_E, WORD_COUNTER, c->call->rank);
        c->known = 1;
        return;
    }
    next_without(single_copy_next, STEP_STORE, STEP_NAME_E, c, seen, out);
}

static void no_e(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(single_copy_next, STEP_STORE, STEP_NAME_E, c, seen, out);
}

/* Waits for its turn until the reader before has ended the next call. */
static void turn_too_late(struct cursor *c, uint32_t seen, struct step *out)
{
    uint32_t state = c->state;
    single_copy_next(c, seen, out);
    if (state == SINGLE_COPY_READER_TURN)
        out->value++;
}

/* One reader more at a time than the source is said to tolerate. */
static void one_turn_more(struct cursor *c, uint32_t seen, struct step *out)
{
    single_copy_step(c, seen, out, c->call->readers_most ? c->call->readers_most + 1 : 0);
}

static void pair_no_wp(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(cooperative_next, STEP_WAIT_EQ, STEP_NAME_WP, c, seen, out);
}

static void pair_no_we(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(cooperative_next, STEP_WAIT_GE, STEP_NAME_WE, c, seen, out);
}

/* Forgets that each rank takes once in vain. */
static void pair_astray(struct cursor *c, uint32_t seen, struct step *out)
{
    uint32_t op = c->op;
    cooperative_next(c, seen, out);
    if (c->op != op && c->call->procs == 2)
        c->op--;
}

/* A load and a store for the atomic TAKE: both may get the same piece. */
static void take_not_atomic(struct cursor *c, uint32_t seen, struct step *out)
{
    enum { LOADED = 100 };
    if (c->state == COOPERATIVE_PAIR_T) {
        c->state = LOADED;
        cooperative_word(out, STEP_WAIT_GE, STEP_NAME_T, WORD_COUNTER, 0, c->op);
        out->index = COOPERATIVE_TAKEN;
    } else if (c->state == LOADED) {
        c->state = LOADED + 1;
        c->known = seen;
        cooperative_word(out, STEP_STORE, STEP_NAME_T, WORD_COUNTER, 0, seen + 1);
        out->index = COOPERATIVE_TAKEN;
    } else {
        int copies = c->state == LOADED + 1;
        c->state = copies ? COOPERATIVE_PAIR_C : c->state;
        cooperative_next(c, copies ? c->known : seen, out);
    }
}

/* Tells of a piece before it is copied. */
static void n_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    cooperative_next(c, seen, out);
    if (out->name == STEP_NAME_N)
        out->value++;
}

/* Reads from another reader without asking whether it has the piece. */
static void no_w(struct cursor *c, uint32_t seen, struct step *out)
{
    cooperative_next(c, seen, out);
    if (out->op == STEP_WAIT_GE && out->name == STEP_NAME_W)
        cooperative_next(c, c->op + c->children + 1, out);
}

/* A reader leaves when it has all itself. */
static void no_reader_we(struct cursor *c, uint32_t seen, struct step *out)
{
    int reader = c->call->procs > 2 && c->call->rank != c->call->root;
    cooperative_next(c, seen, out);
    while (reader && out->op == STEP_WAIT_GE && out->name == STEP_NAME_WE)
        cooperative_next(c, seen, out);
}

/* The root is content when a reader has the first piece of its part. */
static void root_we_early(struct cursor *c, uint32_t seen, struct step *out)
{
    int root = c->call->procs > 2 && c->call->rank == c->call->root;
    cooperative_next(c, seen, out);
    if (root && out->op == STEP_WAIT_GE && out->name == STEP_NAME_WE)
        out->value = c->op + 1;
}

static int supports(const struct bcast_call *call)
{
    (void)call;
    return 0;
}

#define MUTANT(text, of, next_of, counters_of)                                                                                 \
    {                                                                                                                          \
        .protocol = {.name = text, .counters = counters_of, .start = of##_start, .next = next_of,                              \
                     .word_initial = of##_word_initial, .supports = supports},                                                 \
        .tree = "flat"                                                                                                         \
    }
#define SINGLE(text, next_of) MUTANT(text, single_copy, next_of, SINGLE_COPY_COUNTERS)
#define COOPERATIVE(text, next_of) MUTANT(text, cooperative, next_of, COOPERATIVE_COUNTERS)

const struct mutant mutants_single_copy[] = {
    SINGLE("no WE", no_we),         SINGLE("no WE of the last", no_last_we), SINGLE("no WP", no_wp),
    SINGLE("WP one call early", stale_offer), SINGLE("E before the last C", e_before_last_c), SINGLE("no E", no_e),
    SINGLE("turn one call late", turn_too_late),    SINGLE("one turn more", one_turn_more),
};
const unsigned mutants_single_copy_count = sizeof mutants_single_copy / sizeof *mutants_single_copy;

const struct mutant mutants_cooperative[] = {
    COOPERATIVE("no WP", pair_no_wp),
    COOPERATIVE("no WE", pair_no_we),
    COOPERATIVE("op one short", pair_astray),
    COOPERATIVE("T not atomic", take_not_atomic),
    COOPERATIVE("N before C", n_before_c),
    COOPERATIVE("no W", no_w),
    COOPERATIVE("no WE of readers", no_reader_we),
    COOPERATIVE("root's WE early", root_we_early),
};
const unsigned mutants_cooperative_count = sizeof mutants_cooperative / sizeof *mutants_cooperative;
