/* Words of the step clock and the lines they lie on: who has them, and when they come. */
#include "model/step_clock_state.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double between_s(const struct step_clock *c, uint32_t from, uint32_t to)
{
    return c->costs->handover_s[(size_t)from * c->procs + to];
}

/* Time for a line to get to r from who has it nearest; 0 if r has it. */
double step_clock_fetch_s(const struct step_clock *c, uint32_t word, uint32_t r)
{
    const uint8_t *held = c->held + (size_t)word * c->procs;
    if (held[r])
        return 0;
    for (uint32_t i = 0; i < c->procs; i++)
        if (held[i] && c->cache_id[i] == c->cache_id[r])
            return between_s(c, i, r);
    return between_s(c, c->word[word].writer, r);
}

/* By how much the line that r stores to comes later to those who spin on it beside r, as others do on another socket. */
static double detour_s(const struct step_clock *c, uint32_t word, uint32_t r)
{
    double time_s = 0;
    for (uint32_t i = 0; c->costs->detour > 0 && c->word[word].waiters && i < c->procs; i++)
        if (c->rank[i].phase == CLOCK_PARKED && c->rank[i].word == word &&
            step_costs_socket(c->costs, i) != step_costs_socket(c->costs, r))
            time_s = fmax(time_s, between_s(c, r, i));
    return c->costs->detour * time_s;
}

void step_clock_own(struct step_clock *c, uint32_t word, uint32_t r)
{
    memset(c->held + (size_t)word * c->procs, 0, c->procs);
    c->held[(size_t)word * c->procs + r] = 1;
    c->word[word].writer = r;
    c->word[word].detour_s = detour_s(c, word, r);
}

/* For r alone: copies are called back ahead of the store, but from a core that spins on the line it has to be taken. */
double step_clock_claim_s(const struct step_clock *c, uint32_t word, uint32_t r)
{
    double time_s = step_clock_fetch_s(c, word, r);
    for (uint32_t i = 0; c->word[word].waiters && i < c->procs; i++)
        if (c->rank[i].phase == CLOCK_PARKED && c->rank[i].word == word)
            time_s = fmax(time_s, between_s(c, i, r));
    return time_s;
}

double step_clock_shared_s(const struct step_clock *c, uint32_t word, uint32_t r)
{
    double time_s = 0;
    for (uint32_t i = 0; i < c->procs; i++)
        if (i != r && c->held[(size_t)word * c->procs + i])
            time_s = fmax(time_s, between_s(c, i, r));
    return time_s;
}

/* All who spin on a line have asked for it; each gets it from its writer, while others' hand-overs are under way. */
static double served_line_comes_s(struct step_clock *c, uint32_t word, uint32_t r)
{
    struct clock_word *w = &c->word[word];
    double begin_s = fmax(w->busy_s, c->now_s);
    int beside = step_costs_socket(c->costs, w->writer) == step_costs_socket(c->costs, r);
    w->busy_s = begin_s + c->costs->serve_s;
    c->held[(size_t)word * c->procs + r] = 1;
    return begin_s + between_s(c, w->writer, r) + (beside ? w->detour_s : 0);
}

/* When the line of a word is there. A rank that spun for it sees the whole hand-over, a later one only fetches, but nobody sees a
 * store sooner. */
double step_clock_line_comes_s(struct step_clock *c, uint32_t word, uint32_t r, int spun)
{
    struct clock_word *w = &c->word[word];
    double time_s = step_clock_fetch_s(c, word, r);
    if (time_s == 0)
        return c->now_s;
    if (spun && !isnan(c->costs->serve_s))
        return served_line_comes_s(c, word, r);
    w->busy_s = fmax(w->busy_s, c->now_s) + (spun ? time_s : time_s * c->costs->fetch_share);
    w->busy_s = spun ? w->busy_s : fmax(w->busy_s, w->stored_s + time_s);
    c->held[(size_t)word * c->procs + r] = 1;
    return w->busy_s;
}

/* Lines as many calls leave them: with their owner, acknowledgements with everybody, as they change once in a set. */
static void place_lines(struct step_clock *c)
{
    for (uint32_t kind = 0; kind < WORD_KIND_COUNT; kind++)
        for (uint32_t r = 0; c->word_stride[kind] && r < c->procs; r++)
            for (uint32_t i = 0; i < c->word_stride[kind]; i++) {
                uint32_t word = c->word_base[kind] + r * c->word_stride[kind] + i;
                step_clock_own(c, word, r);
                if (kind == WORD_ACK)
                    memset(c->held + (size_t)word * c->procs, 1, c->procs);
            }
}

/* Words by kind and owner. */
int step_clock_words_create(struct step_clock *c)
{
    const struct params *p = &c->costs->scenario->params;
    const uint32_t each[WORD_KIND_COUNT] = {[WORD_CONTROL] = c->slots,
                                            [WORD_LINE] = EAGER_LINES,
                                            [WORD_ACK] = 1,
                                            [WORD_OFFER] = 1,
                                            [WORD_COUNTER] = c->protocol->counters};
    for (uint32_t kind = 0; kind < WORD_KIND_COUNT; kind++) {
        int of_set = kind == WORD_SET_OP || kind == WORD_SET_NREADERS;
        int unused = (kind == WORD_CONTROL && !(c->protocol->uses & PROTOCOL_SLOTS)) ||
                     (kind == WORD_LINE && !(c->protocol->uses & PROTOCOL_LINES));
        c->word_base[kind] = c->words;
        c->word_stride[kind] = of_set || unused ? 0 : each[kind];
        c->words += of_set ? p->sets : c->word_stride[kind] * c->procs;
    }
    c->word = calloc(c->words + 1, sizeof *c->word);
    c->held = calloc((size_t)c->words * c->procs + 1, 1);
    if (!c->word || !c->held)
        return -ENOMEM;
    place_lines(c);
    return 0;
}
