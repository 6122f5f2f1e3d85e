#include "tests/interleavings/toy_case.h"

const struct protocol *toy_protocol_of(const struct toy_case *c, uint32_t call)
{
    return toy_is_bit(c->broadcasts, call) ? c->other : c->protocol;
}

int toy_is_allgather(const struct toy_case *c, uint32_t call)
{
    return (toy_protocol_of(c, call)->uses & PROTOCOL_ALLGATHER) != 0;
}

uint32_t toy_message_bytes(const struct toy_case *c, uint32_t call)
{
    return c->size_bytes[call] * (toy_is_allgather(c, call) ? c->procs : 1);
}

struct bcast_call toy_call_of(const struct toy_case *c, uint32_t call, uint32_t rank)
{
    return (struct bcast_call){
        .size_bytes = toy_message_bytes(c, call),
        .block_bytes = c->size_bytes[call],
        .in_place = (uint32_t)toy_is_bit(c->in_place, rank),
        .fence = (uint32_t)toy_is_bit(c->fences, call),
        .fragment_bytes = c->fragment_bytes,
        .slots = c->slots,
        .sets = c->sets,
        .lines = c->lines,
        .readers_most = c->readers_most,
        .procs = c->procs,
        .rank = rank,
        .root = c->root[call],
        .tree = c->tree,
    };
}

uint32_t toy_contribution(const struct toy_case *c, uint32_t call, uint32_t r)
{
    uint32_t bytes = c->size_bytes[call];
    if (toy_is_allgather(c, call))
        return toy_bits(r * bytes, bytes);
    return r == c->root[call] ? toy_bits(0, bytes) : 0;
}

/* Allgather has neither sets nor control blocks. */
static uint32_t words_of_set(const struct toy_case *c, const struct protocol *p)
{
    return p->uses & PROTOCOL_ALLGATHER ? 0 : 2 * c->sets;
}

static uint32_t controls_of(const struct toy_case *c, const struct protocol *p)
{
    return p->uses & PROTOCOL_ALLGATHER ? 0 : c->slots;
}

static uint32_t words_of(const struct toy_case *c, const struct protocol *p)
{
    return words_of_set(c, p) + c->procs * (controls_of(c, p) + c->lines + 2 + p->counters);
}

static uint32_t words_total(const struct toy_case *c)
{
    return words_of(c, c->protocol) + (c->other ? words_of(c, c->other) : 0);
}

uint32_t toy_word_at(const struct toy_case *c, const struct protocol *p, uint32_t word, uint32_t owner, uint32_t index)
{
    uint32_t sets = p == c->protocol ? 0 : words_of(c, c->protocol), slots = controls_of(c, p);
    uint32_t controls = sets + words_of_set(c, p), lines = controls + c->procs * slots, acks = lines + c->procs * c->lines;
    uint32_t offers = acks + c->procs, counters = offers + c->procs;
    if (owner >= c->procs)
        return TOY_NOWHERE;
    switch (word) {
    case WORD_SET_OP:
    case WORD_SET_NREADERS:
        return owner == 0 && 2 * index < words_of_set(c, p) ? sets + 2 * index + (word == WORD_SET_NREADERS) : TOY_NOWHERE;
    case WORD_CONTROL:
        return index < slots ? controls + owner * slots + index : TOY_NOWHERE;
    case WORD_LINE:
        return index < c->lines ? lines + owner * c->lines + index : TOY_NOWHERE;
    case WORD_ACK:
        return index == 0 ? acks + owner : TOY_NOWHERE;
    case WORD_OFFER:
        return index == 0 ? offers + owner : TOY_NOWHERE;
    case WORD_COUNTER:
        return index < p->counters ? counters + owner * p->counters + index : TOY_NOWHERE;
    default:
        return TOY_NOWHERE;
    }
}

int toy_case_fits(const struct toy_case *c)
{
    if (c->procs == 0 || c->procs > TOY_PROCS_MAX || c->calls == 0 || c->calls > TOY_CALLS_MAX)
        return 0;
    if (words_total(c) > TOY_WORDS_MAX || c->procs * (c->slots + c->lines) > TOY_CELLS_MAX || c->fragment_bytes > UINT8_MAX)
        return 0;
    for (uint32_t i = 0; i < c->calls; i++) {
        struct bcast_call call = toy_call_of(c, i, 0);
        if (c->root[i] >= c->procs || toy_message_bytes(c, i) > TOY_SIZE_MAX || toy_protocol_of(c, i)->supports(&call) != 0)
            return 0;
    }
    return 1;
}
