#include "sim/sim_step.h"

#include "sim/sim_time.h"

#include <errno.h>

static const uint64_t NEVER = UINT64_MAX;

/* The current step of a rank is over: books and trace. wait_end_ps: until then nothing could be done. */
static void account(struct sim *sim, uint32_t r, uint64_t wait_end_ps, uint64_t end_ps)
{
    struct sim_rank *rank = &sim->rank[r];
    const struct step *step = &rank->step;
    if (step->op == STEP_COPY) {
        rank->copy_ps += end_ps - rank->start_ps;
    } else {
        rank->wait_ps += wait_end_ps - rank->start_ps;
        rank->notify_ps += end_ps - wait_end_ps;
    }
    if (!sim->sink)
        return;
    struct trace_step record = {.rank = r, .name = step->name, .op = step->op, .index = step->index};
    if (step->op == STEP_COPY) {
        int peer = step->from.kind == PLACE_PEER || step->to.kind == PLACE_PEER;
        int own = step->from.kind == PLACE_USER || step->from.kind == PLACE_SEND;
        record.index = own ? step->to.index : step->from.index;
        record.index = peer ? (uint32_t)(step->offset_bytes / rank->call.fragment_bytes) : record.index;
        record.bytes = step->bytes;
    }
    record.start_ps = rank->start_ps - sim->base_ps;
    record.wait_end_ps = wait_end_ps - sim->base_ps;
    record.end_ps = end_ps - sim->base_ps;
    sim->sink->emit(sim->sink->context, &record);
}

static size_t word_of(const struct sim *sim, const struct step *step)
{
    return sim_words_index(&sim->words, step->word, step->owner, step->index);
}

/* All who spin on a line have asked for it; each gets it from its writer, while others' hand-overs are under way. */
static uint64_t fetch_served_line(struct sim *sim, uint32_t r, size_t word)
{
    struct sim_word *w = &sim->words.word[word];
    uint64_t begin_ps = w->busy_ps > sim->now_ps ? w->busy_ps : sim->now_ps;
    uint64_t detour_ps = sim_costs_beside(&sim->costs, w->writer, r) ? w->detour_ps : 0;
    w->busy_ps = begin_ps + sim->costs.serve_ps;
    sim_words_share(&sim->words, word, r);
    return begin_ps + sim_noisy(sim, r, sim_costs_between_ps(&sim->costs, w->writer, r) + detour_ps);
}

/* The line of a word comes to a rank that reads it: when. One move of a line follows another. A rank that spun for it sees the
 * store on its way, the whole hand-over; one that comes later only has to fetch the line, but nobody sees a store sooner. */
static uint64_t fetch_line(struct sim *sim, uint32_t r, size_t word, int spun)
{
    struct sim_word *w = &sim->words.word[word];
    uint64_t fetch_ps = sim_costs_fetch_ps(&sim->costs, &sim->words, word, r);
    if (fetch_ps == 0)
        return sim->now_ps;
    if (spun && sim->costs.serves)
        return fetch_served_line(sim, r, word);
    uint64_t seen_ps = !spun && w->change_ps ? w->change_ps + sim_noisy(sim, r, fetch_ps) : 0;
    if (!spun)
        fetch_ps = (uint64_t)(sim->costs.fetch_share * (double)fetch_ps);
    w->busy_ps = (w->busy_ps > sim->now_ps ? w->busy_ps : sim->now_ps) + sim_noisy(sim, r, fetch_ps);
    w->busy_ps = w->busy_ps > seen_ps ? w->busy_ps : seen_ps;
    sim_words_share(&sim->words, word, r);
    return w->busy_ps;
}

/* A parked rank is a spinning core. When another core takes the line it loses its copy and asks for the line again, one
 * load at a time; the line goes to whoever asked first. Serves the loads asked for until now. */
static void serve_polls(struct sim *sim, size_t word)
{
    for (uint32_t r = sim->words.word[word].first_waiter; r != SIM_NOBODY; r = sim->words.next_waiter[r]) {
        struct sim_rank *rank = &sim->rank[r];
        if (rank->poll_asked_ps > sim->now_ps || !sim_cores_have(&sim->cores, r))
            continue;
        rank->poll_asked_ps = NEVER;
        rank->poll_ps = fetch_line(sim, r, word, 1);
    }
}

/* The line leaves the pollers at this time. */
static void chase_polls(struct sim *sim, size_t word, uint64_t time_ps)
{
    for (uint32_t r = sim->words.word[word].first_waiter; r != SIM_NOBODY; r = sim->words.next_waiter[r])
        if (sim->rank[r].poll_asked_ps == NEVER)
            sim->rank[r].poll_asked_ps = time_ps;
}

/* Time at which a rank whose wait is satisfied now has read the word. The load occupies it: as mere latency the
 * hand-over would vanish behind the pipeline. */
static uint64_t read_word(struct sim *sim, uint32_t r, size_t word, int spun)
{
    const struct sim_costs *costs = &sim->costs;
    uint32_t name = sim->rank[r].step.name;
    if (costs->contention_free)
        return sim->now_ps + sim_noisy(sim, r, sim_costs_wait_ps(costs, name));
    uint64_t poll_ps = sim->rank[r].poll_ps;
    uint64_t read_ps = poll_ps > sim->now_ps ? poll_ps : fetch_line(sim, r, word, spun);
    sim_words_share(&sim->words, word, r);
    return read_ps + sim_noisy(sim, r, costs->step_ps);
}

/* The wait of `r` is satisfied, now. */
static uint64_t end_wait(struct sim *sim, uint32_t r, size_t word)
{
    struct sim_rank *rank = &sim->rank[r];
    int spun = rank->phase == SIM_PARKED;
    rank->seen = sim->words.word[word].value;
    rank->phase = SIM_NEXT;
    rank->lag_ps = 0;
    uint64_t end_ps = read_word(sim, r, word, spun);
    account(sim, r, sim->now_ps, end_ps);
    return end_ps;
}

static uint64_t begin_wait(struct sim *sim, uint32_t r)
{
    struct sim_rank *rank = &sim->rank[r];
    size_t word = word_of(sim, &rank->step);
    if (sim_words_satisfied(&rank->step, sim->words.word[word].value))
        return end_wait(sim, r, word);
    rank->phase = SIM_PARKED;
    rank->poll_ps = 0;
    rank->poll_asked_ps = NEVER;
    sim_words_park(&sim->words, word, r);
    sim_words_share(&sim->words, word, r);
    return SIM_BLOCKED;
}

/* No store of a rank leaves before this time, but to the same line. */
static void keep_back(struct sim *sim, uint32_t r, size_t word, uint64_t time_ps)
{
    sim->rank[r].drain_ps = time_ps;
    sim->rank[r].drain_word = word;
}

/* A store waits for the one before to have left the core. It costs its writer the step; if others have the line, the
 * writer's next store is held up while this one fetches it. */
static uint64_t begin_store(struct sim *sim, uint32_t r)
{
    struct sim_rank *rank = &sim->rank[r];
    const struct sim_costs *costs = &sim->costs;
    rank->phase = SIM_STORE;
    if (costs->contention_free)
        return sim->now_ps;
    size_t word = word_of(sim, &rank->step);
    int in_order = rank->drain_ps > sim->now_ps && rank->drain_word != word;
    uint64_t start_ps = in_order ? rank->drain_ps : sim->now_ps;
    uint64_t claim_ps = sim_costs_claim_ps(costs, &sim->words, word, r);
    uint64_t end_ps = start_ps + sim_noisy(sim, r, costs->step_ps);
    rank->lag_ps += start_ps - sim->now_ps;
    if (claim_ps)
        keep_back(sim, r, word, end_ps + sim_noisy(sim, r, sim_costs_drain_ps(costs, claim_ps)));
    rank->stored_ps = end_ps + sim_costs_take_ps(costs, &sim->words, word, r);
    return end_ps;
}

/* An atomic addition has its line for itself: additions to one word follow one another. */
static uint64_t begin_add(struct sim *sim, uint32_t r)
{
    struct sim_rank *rank = &sim->rank[r];
    const struct sim_costs *costs = &sim->costs;
    rank->phase = SIM_ADD;
    if (costs->contention_free)
        return sim->now_ps + sim_noisy(sim, r, costs->t_a_ps);
    size_t word = word_of(sim, &rank->step);
    struct sim_word *w = &sim->words.word[word];
    serve_polls(sim, word);
    uint64_t start_ps = rank->drain_ps > sim->now_ps ? rank->drain_ps : sim->now_ps;
    start_ps = start_ps > w->busy_ps ? start_ps : w->busy_ps;
    uint64_t fetch_ps = sim_costs_fetch_ps(costs, &sim->words, word, r);
    w->busy_ps = start_ps + sim_noisy(sim, r, fetch_ps + costs->atomic_ps);
    sim_words_own(&sim->words, word, r);
    chase_polls(sim, word, start_ps);
    return w->busy_ps + sim_noisy(sim, r, costs->step_ps);
}

/* Payload in a notification's line: written, it takes the line from its reader as the store after it would. */
static uint64_t copy_line(struct sim *sim, uint32_t r)
{
    struct sim_rank *rank = &sim->rank[r];
    const struct step *step = &rank->step;
    const struct sim_costs *costs = &sim->costs;
    uint64_t start_ps = sim->now_ps, fetch_ps = 0;
    size_t word = SIZE_MAX;
    if (step->to.kind == PLACE_LINE) {
        word = sim_words_index(&sim->words, WORD_LINE, step->to.owner, step->to.index);
        start_ps = rank->drain_ps > start_ps ? rank->drain_ps : start_ps;
        fetch_ps = sim_costs_claim_ps(costs, &sim->words, word, r);
        sim_words_own(&sim->words, word, r);
    }
    uint64_t end_ps = start_ps + sim_noisy(sim, r, sim_copies_line_ps(&sim->copies, step) + costs->step_ps);
    if (fetch_ps)
        keep_back(sim, r, word, end_ps + sim_noisy(sim, r, sim_costs_drain_ps(costs, fetch_ps)));
    rank->phase = SIM_NEXT;
    account(sim, r, rank->start_ps, end_ps);
    return end_ps;
}

/* A short copy into a slot ends in the store buffer. Its lines are still with who read the slot last, and until they have come no
 * store after the copy is seen; longer copies fetch their last lines while the first ones leave. */
static uint64_t short_tail_ps(const struct sim *sim, uint32_t r)
{
    const struct step *step = &sim->rank[r].step;
    uint32_t reader = r + 1 < sim->procs ? r + 1 : 0;
    if (step->to.kind != PLACE_SLOT || step->bytes > SIM_STORE_BUFFER_BYTES)
        return 0;
    return (uint64_t)((1 - sim->costs.fetch_share) * (double)sim_costs_between_ps(&sim->costs, reader, r));
}

/* While notifications before it waited for their lines the core was already copying, as far as its store buffer goes; there the
 * copy waits until the last of them has its line. */
static int begin_copy(struct sim *sim, uint32_t r, uint64_t *next_ps)
{
    struct sim_rank *rank = &sim->rank[r];
    const struct step *step = &rank->step;
    if (sim->costs.contention_free) {
        rank->phase = SIM_NEXT;
        *next_ps = sim->now_ps + sim_noisy(sim, r, sim_ps_from_s(step->bytes * sim->costs.t_s_per_byte));
        account(sim, r, rank->start_ps, *next_ps);
        return 0;
    }
    if (step->from.kind == PLACE_LINE || step->to.kind == PLACE_LINE) {
        *next_ps = copy_line(sim, r);
        return 0;
    }
    rank->phase = SIM_COPY;
    int rc = sim_copies_prepare(&sim->copies, r, step, &rank->copy);
    uint64_t tail_ps = short_tail_ps(sim, r);
    rank->copy.tail_ps = tail_ps > rank->copy.tail_ps ? tail_ps : rank->copy.tail_ps;
    uint64_t ahead_ps = rank->lag_ps < rank->copy.ahead_ps ? rank->lag_ps : rank->copy.ahead_ps;
    uint64_t start_ps = rank->copy.start_ps < ahead_ps ? rank->copy.start_ps : ahead_ps;
    rank->copy.start_ps -= start_ps;
    rank->copy.alone_ps -= ahead_ps - start_ps;
    rank->lag_ps = 0;
    uint64_t free_ps = sim->now_ps + rank->copy.ahead_ps * SIM_STORE_QUEUE_BYTES / SIM_STORE_BUFFER_BYTES, stalled_ps = 0;
    if (step->bytes > SIM_STORE_QUEUE_BYTES && rank->stored_ps > free_ps)
        stalled_ps = rank->stored_ps - free_ps;
    *next_ps = sim->now_ps + sim_noisy(sim, r, rank->copy.start_ps + stalled_ps + sim->costs.step_ps);
    return rc;
}

static uint64_t begin_flow(struct sim *sim, uint32_t r)
{
    struct sim_rank *rank = &sim->rank[r];
    rank->phase = SIM_COPYING;
    uint64_t alone_ps = sim_noisy(sim, r, rank->copy.alone_ps);
    sim_bandwidth_begin(&sim->copies.memory.bandwidth, r, rank->copy.class_id, alone_ps, sim->now_ps);
    return SIM_BLOCKED;
}

/* What r waits for has come. It sees that now, or when it has its core again; without slices it has not asked for that yet. */
static int satisfy(struct sim *sim, uint32_t r, size_t word)
{
    if (sim_cores_have(&sim->cores, r))
        return sim_queue_push(&sim->queue, end_wait(sim, r, word), r, 0);
    sim->rank[r].phase = SIM_WAITED;
    sim->rank[r].poll_ps = 0;
    return sim->cores.slice_ps ? 0 : sim_cores_enter(&sim->cores, r, sim->now_ps);
}

/* Lets those go on whom the word's new value satisfies. */
static int wake(struct sim *sim, size_t word)
{
    struct sim_word *w = &sim->words.word[word];
    uint32_t r = w->first_waiter;
    w->first_waiter = w->last_waiter = SIM_NOBODY;
    while (r != SIM_NOBODY) {
        uint32_t next = sim->words.next_waiter[r];
        if (!sim_words_satisfied(&sim->rank[r].step, w->value))
            sim_words_park(&sim->words, word, r);
        else if (satisfy(sim, r, word) != 0)
            return -ENOMEM;
        r = next;
    }
    return 0;
}

/* A store or addition becomes visible, now. */
static int change_word(struct sim *sim, uint32_t r)
{
    struct sim_rank *rank = &sim->rank[r];
    size_t word = word_of(sim, &rank->step);
    struct sim_word *w = &sim->words.word[word];
    if (!sim->costs.contention_free)
        serve_polls(sim, word);
    w->change_ps = rank->phase == SIM_ADD ? 0 : sim->now_ps;
    if (rank->phase == SIM_ADD) {
        rank->seen = w->value;
        w->value += rank->step.value;
    } else {
        w->value = rank->step.value;
        sim->messages += rank->step.name == STEP_NAME_N || rank->step.name == STEP_NAME_O;
    }
    if (!sim->costs.contention_free)
        w->detour_ps = sim_costs_detour_ps(&sim->costs, &sim->words, word, r);
    sim_words_own(&sim->words, word, r);
    account(sim, r, rank->start_ps, sim->now_ps);
    rank->phase = SIM_NEXT;
    return wake(sim, word);
}

static uint64_t end_call(struct sim *sim, uint32_t r)
{
    sim->rank[r].phase = SIM_OVER;
    sim->rank[r].own_ps += sim->now_ps - sim->base_ps;
    sim->running--;
    sim->end_ps = sim->end_ps > sim->now_ps ? sim->end_ps : sim->now_ps;
    sim->ends_ps += sim->now_ps - sim->base_ps;
    return SIM_BLOCKED;
}

static int begin_step(struct sim *sim, uint32_t r, uint64_t *next_ps)
{
    struct sim_rank *rank = &sim->rank[r];
    sim->protocol->next(&rank->cursor, rank->seen, &rank->step);
    rank->start_ps = sim->now_ps;
    switch (rank->step.op) {
    case STEP_STORE:
    case STEP_OFFER:
        *next_ps = begin_store(sim, r);
        return 0;
    case STEP_ADD:
    case STEP_TAKE:
        *next_ps = begin_add(sim, r);
        return 0;
    case STEP_COPY:
        return begin_copy(sim, r, next_ps);
    case STEP_DONE:
        *next_ps = end_call(sim, r);
        return 0;
    case STEP_FAULT:
        return -EPROTO;
    default:
        *next_ps = begin_wait(sim, r);
        return 0;
    }
}

int sim_step_continue(struct sim *sim, uint32_t r, uint64_t *next_ps)
{
    switch (sim->rank[r].phase) {
    case SIM_NEXT:
        return begin_step(sim, r, next_ps);
    case SIM_COPY:
        *next_ps = begin_flow(sim, r);
        return 0;
    case SIM_WAITED:
        *next_ps = begin_wait(sim, r);
        return 0;
    default:
        return change_word(sim, r);
    }
}

void sim_step_copied(struct sim *sim, uint32_t r)
{
    struct sim_rank *rank = &sim->rank[r];
    rank->phase = SIM_NEXT;
    uint64_t drained_ps = sim->now_ps + rank->copy.tail_ps;
    keep_back(sim, r, SIZE_MAX, drained_ps > rank->stored_ps ? drained_ps : rank->stored_ps);
    sim_copies_finish(&sim->copies, r);
    account(sim, r, rank->start_ps, sim->now_ps);
}
