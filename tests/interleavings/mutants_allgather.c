/* Mutants of the allgather protocols. */
#include "tests/interleavings/mutants.h"

#include "model/protocol/direct.h"
#include "model/protocol/direct_line.h"
#include "model/protocol/shared_blocks.h"

/* States beyond those of the real programs: a step that has been put off. */
enum { OWES = 100 };

typedef void next_fn(struct cursor *c, uint32_t seen, struct step *out);

/* Leaves out every step of that operation and name. */
static void next_without(next_fn *next, uint32_t op, uint32_t name, struct cursor *c, uint32_t seen, struct step *out)
{
    next(c, seen, out);
    while (out->op == op && out->name == name)
        next(c, seen, out);
}

/* In `state` first the step that would come after it, then the one of the state itself. */
static void next_swapped(next_fn *next, uint32_t state, struct cursor *c, uint32_t seen, struct step *out)
{
    struct cursor copy = *c;
    struct step other = {0};
    if (c->state == state) {
        next(&copy, seen, &other);
        next(&copy, seen, out);
        c->state = OWES;
    } else if (c->state == OWES) {
        c->state = state;
        next(c, seen, out);
        next(c, seen, &other); /* that was taken already */
    } else {
        next(c, seen, out);
    }
}

/* ---- direct ---- */

static void no_wk(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(direct_next, STEP_WAIT_GE, STEP_NAME_WK, c, seen, out);
}

static void wk_one_set_late(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, seen, out);
    if (out->name == STEP_NAME_WK)
        out->value -= direct_set_slots(c->call);
}

static void wk_one_set_early(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, seen, out);
    if (out->name == STEP_NAME_WK)
        out->value += direct_set_slots(c->call);
}

/* Waits for the nearest reader only. */
static void wk_of_one(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, seen, out);
    while (out->name == STEP_NAME_WK && out->owner != others_rank(c->call, 0))
        direct_next(c, seen, out);
}

static void n_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    next_swapped(direct_next, DIRECT_IN, c, seen, out);
}

static void n_one_ahead(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, seen, out);
    if (out->name == STEP_NAME_N)
        out->value++;
}

static void no_n_of_last(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, seen, out);
    if (out->name == STEP_NAME_N && out->value == c->children)
        direct_next(c, seen, out);
}

static void no_own(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, seen, out);
    while (out->op == STEP_COPY && out->from.kind == PLACE_SEND && out->to.kind == PLACE_USER)
        direct_next(c, seen, out);
}

static void w_one_early(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, seen, out);
    if (out->name == STEP_NAME_W && out->op == STEP_WAIT_GE)
        out->value--;
}

/* Takes one fragment more than was announced. */
static void knows_one_more(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, c->state == DIRECT_SEEN ? seen + 1 : seen, out);
}

/* Asks for every fragment anew: slower, and as right. */
static void one_by_one(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, c->state == DIRECT_SEEN ? c->index + 1 : seen, out);
}

static void c_from_next_slot(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, seen, out);
    if (out->op == STEP_COPY && out->from.kind == PLACE_SLOT)
        out->from.index = (out->from.index + 1) % c->call->slots;
}

/* Reads the next other's slot as this one's. */
static void c_from_next_rank(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, seen, out);
    if (out->op == STEP_COPY && out->from.kind == PLACE_SLOT)
        out->from.owner = (out->from.owner + 1) % c->call->procs;
}

/* Acknowledges a set before the last copy out of it. */
static void k_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    struct cursor after = *c;
    struct step other = {0};
    if (c->state == OWES) {
        c->state = DIRECT_C;
        direct_next(c, seen, out);
        direct_next(c, seen, &other);
        return;
    }
    direct_next(&after, seen, out);
    if ((c->state == DIRECT_C || c->state == DIRECT_SEEN) && after.state == DIRECT_K) {
        direct_next(&after, seen, out);
        c->peer = c->set;
        c->state = OWES;
        return;
    }
    direct_next(c, seen, out);
}

static void k_one_set_ahead(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, seen, out);
    if (out->name == STEP_NAME_K)
        out->value += direct_set_slots(c->call);
}

static void no_k(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(direct_next, STEP_STORE, STEP_NAME_K, c, seen, out);
}

/* Writes a set beyond the one it reads even where the queue is a single set. */
static void leads_in_one_set(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->state == DIRECT_W && c->child == 0 && c->index == c->known && c->op != c->children && c->call->sets == 1)
        c->state = DIRECT_WK;
    direct_next(c, seen, out);
}

/* Writes two sets ahead where acknowledgements are left out. */
static void leads_by_two(struct cursor *c, uint32_t seen, struct step *out)
{
    uint32_t end = direct_set_end(c->call, c->known) + 2 * direct_set_slots(c->call);
    int begins = c->state == DIRECT_W && c->child == 0 && c->index == c->known;
    if (begins && c->op != c->children && (int32_t)(c->op - end) < 0 && c->call->sets == 4)
        c->state = DIRECT_IN;
    direct_next(c, seen, out);
}

static void fence_without_waiting(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(direct_next, STEP_WAIT_GE, STEP_NAME_B, c, seen, out);
}

static void fence_of_one(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_next(c, seen, out);
    while (out->op == STEP_WAIT_GE && out->name == STEP_NAME_B && out->owner != others_rank(c->call, 0))
        direct_next(c, seen, out);
}

static void no_fence(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    direct_start(c, call, op);
    if (call->fence)
        *c = (struct cursor){.call = call, .op = op, .state = DIRECT_DONE};
}

/* A fence that counts nothing: an acknowledgement of before counts as having come. */
static void fence_stale(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    direct_start(c, call, op);
    if (call->fence)
        c->op = op;
}

/* One rank counts a fragment more than the others. */
static void op_astray(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    direct_start(c, call, op + (call->rank == 1 && call->block_bytes == 1));
}

/* ---- direct_line ---- */

/* One line for all calls. */
static void line_always_first(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    direct_line_start(c, call, op);
    c->index = 0;
}

/* Takes the line of the call before last, if it comes in time. */
static void line_w_early(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_line_next(c, seen, out);
    if (out->name == STEP_NAME_W) {
        out->op = STEP_WAIT_GE;
        out->value -= c->call->lines;
    }
}

static void line_n_before_c(struct cursor *c, uint32_t seen, struct step *out)
{
    next_swapped(direct_line_next, DIRECT_LINE_IN, c, seen, out);
}

static void line_no_own(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_line_next(c, seen, out);
    if (out->op == STEP_COPY && out->from.kind == PLACE_SEND && out->to.kind == PLACE_USER)
        direct_line_next(c, seen, out);
}

static void line_no_w(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(direct_line_next, STEP_WAIT_EQ, STEP_NAME_W, c, seen, out);
}

/* The last of the others goes unread, and so unwaited for. */
static void line_leaves_early(struct cursor *c, uint32_t seen, struct step *out)
{
    direct_line_next(c, seen, out);
    if (out->name == STEP_NAME_W && c->child == c->call->procs - 1)
        out->op = STEP_DONE;
}

/* ---- shared_blocks ---- */

static void shared_no_we(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(shared_blocks_next, STEP_WAIT_GE, STEP_NAME_WE, c, seen, out);
}

static void shared_we_of_one(struct cursor *c, uint32_t seen, struct step *out)
{
    shared_blocks_next(c, seen, out);
    while (out->op == STEP_WAIT_GE && out->name == STEP_NAME_WE && out->owner != others_rank(c->call, 0))
        shared_blocks_next(c, seen, out);
}

static void shared_no_wp(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(shared_blocks_next, STEP_WAIT_EQ, STEP_NAME_WP, c, seen, out);
}

/* Takes an offer of the call before. */
static void shared_stale_offer(struct cursor *c, uint32_t seen, struct step *out)
{
    shared_blocks_next(c, seen, out);
    if (out->name == STEP_NAME_WP) {
        out->op = STEP_WAIT_GE;
        out->value--;
    }
}

static void shared_e_one_ahead(struct cursor *c, uint32_t seen, struct step *out)
{
    shared_blocks_next(c, seen, out);
    if (out->name == STEP_NAME_E)
        out->value++;
}

static void shared_no_e(struct cursor *c, uint32_t seen, struct step *out)
{
    next_without(shared_blocks_next, STEP_STORE, STEP_NAME_E, c, seen, out);
}

static int supports(const struct bcast_call *call)
{
    (void)call;
    return 0;
}

#define MUTANT(text, of, start_of, next_of, counters_of, harmless_of)                                                          \
    {                                                                                                                          \
        .protocol = {.name = text, .uses = PROTOCOL_ALLGATHER, .counters = counters_of, .start = start_of, .next = next_of,    \
                     .word_initial = of##_word_initial, .supports = supports},                                                 \
        .tree = "flat", .harmless = harmless_of                                                                                \
    }
#define DIRECT(text, next_of) MUTANT(text, direct, direct_start, next_of, DIRECT_COUNTERS, 0)
#define STARTS(text, start_of) MUTANT(text, direct, start_of, direct_next, DIRECT_COUNTERS, 0)
#define LINE(text, next_of) MUTANT(text, direct_line, direct_line_start, next_of, 0, 0)
#define SHARED(text, next_of) MUTANT(text, shared_blocks, shared_blocks_start, next_of, SHARED_BLOCKS_COUNTERS, 0)

const struct mutant mutants_direct[] = {
    DIRECT("no WK", no_wk),
    DIRECT("WK one set late", wk_one_set_late),
    DIRECT("WK one set early", wk_one_set_early),
    DIRECT("WK of one reader", wk_of_one),
    DIRECT("N before C", n_before_c),
    DIRECT("N one ahead", n_one_ahead),
    DIRECT("no N of the last", no_n_of_last),
    DIRECT("no own block", no_own),
    DIRECT("W one early", w_one_early),
    DIRECT("takes one more", knows_one_more),
    DIRECT("C from next slot", c_from_next_slot),
    DIRECT("C from next rank", c_from_next_rank),
    DIRECT("K before C", k_before_c),
    DIRECT("K one set ahead", k_one_set_ahead),
    DIRECT("no K", no_k),
    DIRECT("leads in one set", leads_in_one_set),
    DIRECT("leads by two of four", leads_by_two),
    DIRECT("B does not wait", fence_without_waiting),
    DIRECT("B waits for one", fence_of_one),
    STARTS("no B", no_fence),
    STARTS("B of before", fence_stale),
    STARTS("op astray", op_astray),
    MUTANT("W one by one", direct, direct_start, one_by_one, DIRECT_COUNTERS, 1),
};
const unsigned mutants_direct_count = sizeof mutants_direct / sizeof *mutants_direct;

const struct mutant mutants_direct_line[] = {
    LINE("N before C", line_n_before_c),
    LINE("no own block", line_no_own),
    LINE("no W", line_no_w),
    LINE("W too early", line_w_early),
    LINE("leaves early", line_leaves_early),
    MUTANT("one line", direct_line, line_always_first, direct_line_next, 0, 0),
};
const unsigned mutants_direct_line_count = sizeof mutants_direct_line / sizeof *mutants_direct_line;

const struct mutant mutants_shared_blocks[] = {
    SHARED("no WE", shared_no_we),
    SHARED("WE of one", shared_we_of_one),
    SHARED("no WP", shared_no_wp),
    SHARED("WP one call early", shared_stale_offer),
    SHARED("E one call ahead", shared_e_one_ahead),
    SHARED("no E", shared_no_e),
};
const unsigned mutants_shared_blocks_count = sizeof mutants_shared_blocks / sizeof *mutants_shared_blocks;
