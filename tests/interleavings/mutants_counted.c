/* Mutants of the counted protocol. */
#include "tests/interleavings/mutants.h"

#include "model/protocol/counted.h"

/* States beyond those of the real program: a step that has been put off. */
enum { OWES = 100 };

static void next_without(uint32_t op, uint32_t name, struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    while (out->op == op && out->name == name)
        counted_next(c, seen, out);
}

static void no_wk(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(STEP_WAIT_GE, STEP_NAME_WK, c, seen, out);
}

static void wk_one_set_late(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    if (out->name == STEP_NAME_WK)
        out->value -= counted_set_slots(c);
}

/* Acknowledgements come by sets, so one more or less within a set is the same. */
static void wk_one_slot_late(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    if (out->name == STEP_NAME_WK)
        out->value -= counted_set_slots(c) - 1;
}

/* Waits for the root's children only, as if their acknowledgements spoke for their subtrees. */
static void wk_of_children(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    while (out->name == STEP_NAME_WK && tree_parent(c->call->tree, c->call->root, out->owner) != c->call->root)
        counted_next(c, seen, out);
}

/* Waits once a call, not at every set. */
static void wk_first_set_only(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    while (out->name == STEP_NAME_WK && c->offset_bytes > 0)
        counted_next(c, seen, out);
}

static void n_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    struct cursor copy = *c;
    if (c->state == COUNTED_ROOT_C) {
        copy.state = COUNTED_ROOT_N;
        counted_next(&copy, seen, out);
        c->state = OWES;
    } else if (c->state == OWES) {
        struct step told_already;
        c->state = COUNTED_ROOT_C;
        counted_next(c, seen, out);
        counted_next(c, seen, &told_already);
    } else {
        counted_next(c, seen, out);
    }
}

static void n_one_ahead(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    if (out->name == STEP_NAME_N && c->call->rank == c->call->root)
        out->value++;
}

/* A reader's notification that somebody waits for. */
static int readers_n(const struct cursor *c, const struct step *out)
{
    const struct bcast_call *call = c->call;
    return out->name == STEP_NAME_N && call->rank != call->root && tree_child_count(call->tree, call->root, call->rank) > 0;
}

/* An interior reader promises one fragment more than it has seen. */
static void passes_one_more(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    if (readers_n(c, out))
        out->value++;
}

/* An interior reader passes on only the fragment it waited for: slower, and as right. */
static void passes_one_only(struct cursor *c, uint32_t seen, struct step *out)
{
    uint32_t op = c->op;
    counted_next(c, seen, out);
    if (readers_n(c, out)) {
        out->value = op + 1;
        c->known = op + 1;
    }
}

static void no_n_of_readers(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    if (readers_n(c, out))
        counted_next(c, seen, out);
}

static void w_one_early(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    if (out->op == STEP_WAIT_GE && out->name == STEP_NAME_W)
        out->value--;
}

/* Takes one fragment more than was announced. */
static void knows_one_more(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, c->state == COUNTED_READER_SEEN ? seen + 1 : seen, out);
}

static void c_from_next_slot(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    if (out->op == STEP_COPY && out->from.kind == PLACE_SLOT)
        out->from.index = (out->from.index + 1) % c->call->slots;
}

/* Acknowledges a set before the last copy out of it. */
static void k_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    struct cursor after = *c;
    if (c->state == OWES) {
        struct step acknowledged_already;
        c->state = COUNTED_READER_C;
        counted_next(c, seen, out);
        counted_next(c, seen, &acknowledged_already);
        return;
    }
    counted_next(&after, seen, out);
    if (c->state == COUNTED_READER_C && after.state == COUNTED_K) {
        counted_next(&after, seen, out);
        c->state = OWES;
        return;
    }
    counted_next(c, seen, out);
}

static void k_one_set_ahead(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    if (out->name == STEP_NAME_K)
        out->value += counted_set_slots(c);
}

static void no_k(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(STEP_STORE, STEP_NAME_K, c, seen, out);
}

/* The root does not acknowledge its own sets, which only another root would ask for. */
static void no_k_of_root(struct cursor *c, uint32_t seen, struct step *out)
{
    counted_next(c, seen, out);
    if (out->name == STEP_NAME_K && c->call->rank == c->call->root)
        counted_next(c, seen, out);
}

/* One rank counts a fragment more than the others. */
static void op_astray(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    counted_start(c, call, op + (call->rank == 2 && call->root == 1));
}

static int supports(const struct bcast_call *call)
{
    (void)call;
    return 0;
}

#define MUTANT(text, start_of, next_of, tree_of, harmless_of)                                                                  \
    {                                                                                                                          \
        .protocol = {.name = text, .uses = PROTOCOL_SLOTS, .counters = COUNTED_COUNTERS, .start = start_of, .next = next_of,   \
                     .word_initial = counted_word_initial, .supports = supports},                                              \
        .tree = tree_of, .harmless = harmless_of                                                                               \
    }
#define BAD(text, next_of, tree_of) MUTANT(text, counted_start, next_of, tree_of, 0)

const struct mutant mutants_counted[] = {
    BAD("no WK", no_wk, "flat"),
    BAD("no WK", no_wk, "chain"),
    BAD("WK one set late", wk_one_set_late, "flat"),
    BAD("WK of children only", wk_of_children, "chain"),
    BAD("WK once a call", wk_first_set_only, "flat"),
    BAD("N before C", n_before_c, "flat"),
    BAD("N one ahead", n_one_ahead, "flat"),
    BAD("readers' N one ahead", passes_one_more, "chain"),
    BAD("no N of readers", no_n_of_readers, "chain"),
    BAD("W one early", w_one_early, "flat"),
    BAD("takes one more", knows_one_more, "flat"),
    BAD("C from next slot", c_from_next_slot, "flat"),
    BAD("K before C", k_before_c, "flat"),
    BAD("K one set ahead", k_one_set_ahead, "flat"),
    BAD("no K", no_k, "flat"),
    BAD("no K of the root", no_k_of_root, "flat"),
    MUTANT("op astray", op_astray, counted_next, "chain", 0),
    MUTANT("WK late within a set", counted_start, wk_one_slot_late, "flat", 1),
    MUTANT("readers' N one by one", counted_start, passes_one_only, "chain", 1),
};
const unsigned mutants_counted_count = sizeof mutants_counted / sizeof *mutants_counted;
