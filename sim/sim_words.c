#include "sim/sim_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void init_word(struct sim_words *words, const struct protocol *protocol, uint32_t op, uint32_t kind, uint32_t owner,
                      uint32_t index)
{
    size_t i = sim_words_index(words, kind, owner, index);
    words->word[i] = (struct sim_word){
        .value = protocol->word_initial(kind, op), .writer = owner, .first_waiter = SIM_NOBODY, .last_waiter = SIM_NOBODY};
    sim_words_share(words, i, owner);
    int by_all = kind == WORD_ACK || (protocol->uses & PROTOCOL_ALLGATHER);
    for (uint32_t rank = 0; by_all && rank < words->procs; rank++)
        sim_words_share(words, i, rank);
}

static void init_words(struct sim_words *words, const struct protocol *protocol, uint32_t op)
{
    for (uint32_t set = 0; set < words->sets; set++) {
        init_word(words, protocol, op, WORD_SET_OP, 0, set);
        init_word(words, protocol, op, WORD_SET_NREADERS, 0, set);
        sim_words_own(words, sim_words_index(words, WORD_SET_NREADERS, 0, set), words->procs - 1);
    }
    for (uint32_t rank = 0; rank < words->procs; rank++) {
        for (uint32_t slot = 0; slot < words->slots; slot++)
            init_word(words, protocol, op, WORD_CONTROL, rank, slot);
        for (uint32_t line = 0; line < words->lines; line++)
            init_word(words, protocol, op, WORD_LINE, rank, line);
        init_word(words, protocol, op, WORD_ACK, rank, 0);
        init_word(words, protocol, op, WORD_OFFER, rank, 0);
        for (uint32_t counter = 0; counter < words->counters; counter++)
            init_word(words, protocol, op, WORD_COUNTER, rank, counter);
    }
}

int sim_words_create(struct sim_words *words, const struct bcast_call *call, const struct protocol *protocol, uint32_t op,
                     int with_lines)
{
    *words = (struct sim_words){.procs = call->procs, .slots = call->slots, .sets = call->sets, .lines = call->lines,
                                .counters = protocol->counters};
    words->count = sim_words_index(words, WORD_COUNTER, call->procs, 0);
    words->row = (call->procs + 63) / 64;
    words->word = calloc(words->count, sizeof *words->word);
    words->holder = with_lines ? calloc(words->count * words->row, sizeof *words->holder) : NULL;
    words->next_waiter = calloc(call->procs, sizeof *words->next_waiter);
    if (!words->word || (with_lines && !words->holder) || !words->next_waiter) {
        sim_words_destroy(words);
        return -ENOMEM;
    }
    init_words(words, protocol, op);
    return 0;
}

void sim_words_destroy(struct sim_words *words)
{
    free(words->word);
    free(words->holder);
    free(words->next_waiter);
    *words = (struct sim_words){0};
}

void sim_words_own(struct sim_words *words, size_t word, uint32_t rank)
{
    words->word[word].writer = rank;
    if (!words->holder)
        return;
    memset(words->holder + word * words->row, 0, words->row * sizeof *words->holder);
    sim_words_share(words, word, rank);
}

uint32_t sim_words_holder_among(const struct sim_words *words, size_t word, const uint64_t *peers)
{
    const uint64_t *holder = words->holder + word * words->row;
    for (size_t i = 0; i < words->row; i++)
        if (holder[i] & peers[i])
            return (uint32_t)(i * 64 + (size_t)__builtin_ctzll(holder[i] & peers[i]));
    return SIM_NOBODY;
}

void sim_words_park(struct sim_words *words, size_t word, uint32_t rank)
{
    struct sim_word *w = &words->word[word];
    words->next_waiter[rank] = SIM_NOBODY;
    if (w->first_waiter == SIM_NOBODY)
        w->first_waiter = rank;
    else
        words->next_waiter[w->last_waiter] = rank;
    w->last_waiter = rank;
}
