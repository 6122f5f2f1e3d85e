#include "tests/interleavings/mutants.h"

#include "model/protocol/eager.h"
#include "model/protocol/pipelined.h"

/* States beyond those of the real programs: the mutant owes a step it has put off. */
enum { OWES = 100 };

typedef void next_fn(struct cursor *c, uint32_t seen, struct step *out);

/* Leaves out every step of that operation and name. */
static void next_without(next_fn *next, uint32_t op, uint32_t name, struct cursor *c, uint32_t seen, struct step *out)
{
    next(c, seen, out);
    if (out->op == op && out->name == name)
        next(c, seen, out);
}

/* The step the program would take in another state; the cursor stays. */
static void peek_in_state(next_fn *next, const struct cursor *c, uint32_t state, struct step *out)
{
    struct cursor copy = *c;
    copy.state = state;
    next(&copy, 0, out);
}

static void no_ws(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(pipelined_next, STEP_WAIT_EQ, STEP_NAME_WS, c, seen, out);
}

/* Takes the set as free as soon as one reader has left it. */
static void ws_after_one(struct cursor *c, uint32_t seen, struct step *out)
{
    pipelined_next(c, seen, out);
    if (out->op == STEP_WAIT_EQ && out->name == STEP_NAME_WS) {
        out->op = STEP_WAIT_NE;
        out->value = c->call->procs - 1;
    }
}

static void claim_one_less(struct cursor *c, uint32_t seen, struct step *out)
{
    pipelined_next(c, seen, out);
    if (out->op == STEP_STORE && out->name == STEP_NAME_WS)
        out->value--;
}

/* Claims the set only when its first notification is out (needs two children). */
static void claim_after_n(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->state == OWES) {
        peek_in_state(pipelined_next, c, PIPELINED_ROOT_CLAIM, out);
        c->state = PIPELINED_ROOT_N;
        return;
    }
    next_without(pipelined_next, STEP_STORE, STEP_NAME_WS, c, seen, out);
    if (c->state == PIPELINED_ROOT_N && out->name == STEP_NAME_N && c->index == 0 && c->child == 1)
        c->state = OWES;
}

static void so_before_claim(struct cursor *c, uint32_t seen, struct step *out)
{
    uint32_t state = c->state;
    uint32_t swapped = state == PIPELINED_ROOT_CLAIM ? PIPELINED_ROOT_SO : PIPELINED_ROOT_CLAIM;
    pipelined_next(c, seen, out);
    if (state == PIPELINED_ROOT_CLAIM || state == PIPELINED_ROOT_SO) {
        struct cursor copy = *c;
        peek_in_state(pipelined_next, &copy, swapped, out);
    }
}

static void no_so(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(pipelined_next, STEP_STORE, STEP_NAME_SO, c, seen, out);
}

static void no_wo(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(pipelined_next, STEP_WAIT_EQ, STEP_NAME_WO, c, seen, out);
}

/* The first child hears of the fragment before it is copied in (needs two children). */
static void n_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->state == PIPELINED_ROOT_C && c->child == 0)
        pipelined_notify(c, out, pipelined_fragment(c));
    else
        pipelined_next(c, seen, out);
}

static void no_last_n(struct cursor *c, uint32_t seen, struct step *out)
{
    struct cursor before = *c;
    pipelined_next(c, seen, out);
    if (out->op == STEP_STORE && out->name == STEP_NAME_N && before.child + 1 == before.children)
        pipelined_next(c, seen, out);
}

/* Neither waits for the notification nor resets it. */
static void no_w(struct cursor *c, uint32_t seen, struct step *out)
{
    pipelined_next(c, seen, out);
    while (out->name == STEP_NAME_W)
        pipelined_next(c, pipelined_fragment(c), out);
}

static void no_reset(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(pipelined_next, STEP_STORE, STEP_NAME_W, c, seen, out);
}

/* An interior reader passes the notification on before it has its own. */
static void n_before_w(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->state == PIPELINED_READER_W && c->child < c->children) {
        pipelined_notify(c, out, pipelined_fragment(c));
        return;
    }
    pipelined_next(c, seen, out);
    if (c->state == PIPELINED_READER_N && c->child == c->children)
        c->state = PIPELINED_READER_C;
}

static void c_from_next_slot(struct cursor *c, uint32_t seen, struct step *out)
{
    pipelined_next(c, seen, out);
    if (out->op == STEP_COPY && out->from.kind == PLACE_SLOT)
        out->from.index = (out->from.index + 1) % c->call->slots;
}

/* Leaves the set before the last copy out of it. */
static void a_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    struct cursor after = *c;
    if (c->state == OWES) {
        c->state = PIPELINED_READER_C;
        pipelined_next(c, seen, out);
        struct step left_already;
        pipelined_next(c, seen, &left_already);
        return;
    }
    if (c->state == PIPELINED_READER_C) {
        pipelined_next(&after, seen, out);
        if (after.state == PIPELINED_READER_A) {
            pipelined_next(&after, seen, out);
            c->state = OWES;
            return;
        }
    }
    pipelined_next(c, seen, out);
}

/* Decrements by a load and a store. */
static void a_not_atomic(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->state == PIPELINED_READER_A) {
        peek_in_state(pipelined_next, c, PIPELINED_READER_A, out);
        out->op = STEP_WAIT_NE;
        out->value = UINT32_MAX; /* never: it only looks */
        c->state = OWES;
    } else if (c->state == OWES) {
        c->state = PIPELINED_READER_A;
        pipelined_next(c, seen, out);
        out->op = STEP_STORE;
        out->value = seen - 1;
    } else {
        pipelined_next(c, seen, out);
    }
}

static void no_a(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(pipelined_next, STEP_ADD, STEP_NAME_A, c, seen, out);
}

static void a_by_two(struct cursor *c, uint32_t seen, struct step *out)
{
    pipelined_next(c, seen, out);
    if (out->op == STEP_ADD)
        out->value = UINT32_MAX - 1;
}

/* One rank counts a call more than the others. */
static void op_astray(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    pipelined_start(c, call, op + (call->rank == 2 && call->root == 1));
}

static void no_wk(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(eager_next, STEP_WAIT_GE, STEP_NAME_WK, c, seen, out);
}

static void wk_one_late(struct cursor *c, uint32_t seen, struct step *out)
{
    eager_next(c, seen, out);
    if (out->name == STEP_NAME_WK)
        out->value--;
}

static void wk_one_early(struct cursor *c, uint32_t seen, struct step *out)
{
    eager_next(c, seen, out);
    if (out->name == STEP_NAME_WK)
        out->value += c->call->lines / 2 + 1;
}

static void no_eager_w(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(eager_next, STEP_WAIT_EQ, STEP_NAME_W, c, seen, out);
}

static void eager_n_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->state == EAGER_FORWARD) {
        peek_in_state(eager_next, c, EAGER_N, out);
        c->state = OWES;
    } else if (c->state == OWES) {
        c->state = EAGER_FORWARD;
        eager_next(c, seen, out);
        struct step told_already;
        eager_next(c, seen, &told_already);
    } else {
        eager_next(c, seen, out);
    }
}

/* Acknowledges its line before it has copied it out. */
static void k_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->state == OWES) {
        c->state = EAGER_C;
        eager_next(c, seen, out);
        struct step acknowledged_already;
        eager_next(c, seen, &acknowledged_already);
    } else if (c->state == EAGER_C && (c->op + 1) % (c->call->lines / 2) == 0) {
        peek_in_state(eager_next, c, EAGER_K, out);
        c->state = OWES;
    } else {
        eager_next(c, seen, out);
    }
}

static void k_one_ahead(struct cursor *c, uint32_t seen, struct step *out)
{
    eager_next(c, seen, out);
    if (out->name == STEP_NAME_K)
        out->value++;
}

static void no_k(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(eager_next, STEP_STORE, STEP_NAME_K, c, seen, out);
}

static int supports(const struct bcast_call *call)
{
    (void)call;
    return 0;
}

#define PIPELINED(text, next_of, tree_of, harmless_of) \
    { \
        .protocol = {.name = text, .start = pipelined_start, .next = next_of, .word_initial = pipelined_word_initial, \
                     .uses = PROTOCOL_SLOTS | PROTOCOL_SETS, .supports = supports}, \
        .tree = tree_of, .harmless = harmless_of \
    }
#define EAGER(text, next_of, tree_of) \
    { \
        .protocol = {.name = text, .start = eager_start, .next = next_of, .word_initial = eager_word_initial, \
                     .supports = supports}, \
        .tree = tree_of \
    }

const struct mutant mutants_pipelined[] = {
    PIPELINED("no WS", no_ws, "flat", 0),
    PIPELINED("WS after one A", ws_after_one, "flat", 0),
    PIPELINED("claim p-2", claim_one_less, "flat", 0),
    PIPELINED("claim after N", claim_after_n, "flat", 0),
    PIPELINED("no SO", no_so, "flat", 0),
    PIPELINED("N before C", n_before_c, "flat", 0),
    PIPELINED("no N to last child", no_last_n, "chain", 0),
    PIPELINED("no W", no_w, "flat", 0),
    PIPELINED("no reset after W", no_reset, "flat", 0),
    PIPELINED("N before W", n_before_w, "chain", 0),
    PIPELINED("C from next slot", c_from_next_slot, "flat", 0),
    PIPELINED("A before C", a_before_c, "flat", 0),
    PIPELINED("A not atomic", a_not_atomic, "flat", 0),
    PIPELINED("no A", no_a, "flat", 0),
    PIPELINED("A by two", a_by_two, "flat", 0),
    {.protocol = {.name = "op astray", .start = op_astray, .next = pipelined_next, .word_initial = pipelined_word_initial,
                  .uses = PROTOCOL_SLOTS | PROTOCOL_SETS, .supports = supports},
     .tree = "chain"},
    /* The control blocks alone hold the readers, for they are written only after WS and the claim. So neither the
     * order of SO and claim nor WO itself is needed for the data to be right. */
    PIPELINED("SO before claim", so_before_claim, "flat", 1),
    PIPELINED("no WO", no_wo, "flat", 1),
    PIPELINED("no WO", no_wo, "chain", 1),
};
const unsigned mutants_pipelined_count = sizeof mutants_pipelined / sizeof *mutants_pipelined;

const struct mutant mutants_eager[] = {
    EAGER("no WK", no_wk, "flat"),
    EAGER("no WK", no_wk, "chain"),
    EAGER("WK one call late", wk_one_late, "flat"),
    EAGER("WK too early", wk_one_early, "flat"),
    EAGER("no W", no_eager_w, "flat"),
    EAGER("N before C", eager_n_before_c, "flat"),
    EAGER("N before C", eager_n_before_c, "chain"),
    EAGER("K before C", k_before_c, "flat"),
    EAGER("K one ahead", k_one_ahead, "flat"),
    EAGER("no K", no_k, "flat"),
};
const unsigned mutants_eager_count = sizeof mutants_eager / sizeof *mutants_eager;
