/* The state of the step clock: what a call begins with, and its memory. */
#include "model/step_clock_state.h"
#include "model/protocol/direct_line.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct bcast_call call_of(const struct step_clock *c, uint32_t r, uint64_t bytes)
{
    const struct params *p = &c->costs->scenario->params;
    struct bcast_call call = {.size_bytes = bytes, .fragment_bytes = p->fragment_bytes, .slots = c->slots, .sets = p->sets,
                              .lines = EAGER_LINES, .readers_most = p->readers_most, .procs = c->procs, .rank = r,
                              .tree = c->tree};
    if (c->others) {
        call.size_bytes = bytes * c->procs;
        call.block_bytes = bytes;
        call.lines = DIRECT_LINES;
        call.in_place = c->costs->scenario->job.allgather.in_place != 0;
        call.others = c->others + (size_t)r * c->procs;
    } else {
        call.root = c->costs->scenario->job.bcast.root;
    }
    return call;
}

void step_clock_reset(struct step_clock *c, struct clock_shape shape, uint64_t last_bytes)
{
    uint64_t bytes = (shape.fragments - 1) * c->costs->scenario->params.fragment_bytes + last_bytes;
    for (uint32_t kind = 0; kind < WORD_KIND_COUNT; kind++) {
        uint32_t end = kind + 1 < WORD_KIND_COUNT ? c->word_base[kind + 1] : c->words;
        for (uint32_t w = c->word_base[kind]; w < end; w++) {
            c->word[w].value = c->protocol->word_initial(kind, 0);
            c->word[w].busy_s = 0;
            c->word[w].stored_s = -INFINITY;
        }
    }
    memset(c->leader, 0xff, c->slot_items * c->procs * sizeof *c->leader);
    memset(c->peer, 0, (size_t)c->procs * c->procs * sizeof *c->peer);
    for (uint32_t r = 0; r < c->procs; r++) {
        struct clock_rank *rank = &c->rank[r];
        *rank = (struct clock_rank){.ready_s = INFINITY, .drain_word = STEP_NOBODY};
        rank->call = call_of(c, r, bytes);
        c->protocol->start(&rank->cursor, &rank->call, 0);
        c->core_rank[r] = STEP_NOBODY;
    }
    c->running = c->procs;
    c->copying = 0;
    c->now_s = c->end_s = c->ends_s = 0;
}

static void group_ranks(struct step_clock *c)
{
    for (uint32_t r = 0; r < c->procs; r++) {
        uint32_t cache = r, core = r;
        for (uint32_t i = r; i-- > 0;) {
            cache = step_costs_cache(c->costs, i) == step_costs_cache(c->costs, r) ? i : cache;
            core = step_costs_core(c->costs, i) == step_costs_core(c->costs, r) ? i : core;
        }
        c->cache_id[r] = cache;
        c->core_id[r] = core;
        c->shared_cores |= core != r && !c->costs->contention_free;
    }
}

/* As the kernels' ranks read the others. */
static int order_others(struct step_clock *c)
{
    uint32_t *domain = malloc(c->procs * sizeof *domain);
    c->others = malloc((size_t)c->procs * c->procs * sizeof *c->others);
    for (uint32_t r = 0; domain && c->others && r < c->procs; r++)
        domain[r] = step_costs_domain(c->costs, r);
    for (uint32_t r = 0; domain && c->others && r < c->procs; r++)
        others_order(c->procs, r, domain, c->others + (size_t)r * c->procs);
    free(domain);
    return domain && c->others ? 0 : -ENOMEM;
}

void step_clock_destroy(struct step_clock *c)
{
    free(c->others);
    free(c->rank);
    free(c->word);
    free(c->held);
    free(c->leader);
    free(c->cache_id);
    free(c->peer);
    free(c->domain);
}

int step_clock_create(struct step_clock *c, struct clock_shape shape)
{
    size_t procs = c->procs;
    c->slots = shape.set_slots * c->costs->scenario->params.sets;
    c->rank = calloc(procs, sizeof *c->rank);
    c->slot_items = c->protocol->uses & PROTOCOL_SLOTS ? procs * c->slots : 0;
    c->leader = calloc(procs * c->slot_items + 1, sizeof *c->leader);
    c->cache_id = calloc(3 * procs, sizeof *c->cache_id);
    c->domain = calloc(c->costs->scenario->machine.node->domains, sizeof *c->domain);
    c->peer = calloc(procs * procs, sizeof *c->peer);
    if (!c->rank || !c->leader || !c->cache_id || !c->peer || !c->domain || step_clock_words_create(c))
        return -ENOMEM;
    c->core_id = c->cache_id + procs;
    c->core_rank = c->core_id + procs;
    group_ranks(c);
    return c->protocol->uses & PROTOCOL_ALLGATHER ? order_others(c) : 0;
}
