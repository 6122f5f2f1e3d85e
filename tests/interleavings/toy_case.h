/* What a case of the toy says about its calls and words: shared by the files behind toy.h. */
#ifndef SHMCOLL_TESTS_TOY_CASE_H
#define SHMCOLL_TESTS_TOY_CASE_H

#include "tests/interleavings/toy.h"

enum { TOY_NOWHERE = UINT32_MAX };

static inline int toy_is_bit(uint32_t bits, uint32_t i)
{
    return (int)(bits >> i & 1);
}

static inline uint32_t toy_bits(uint64_t offset_bytes, uint64_t bytes)
{
    return (uint32_t)(((UINT64_C(1) << bytes) - 1) << offset_bytes);
}

/* Who makes the call. */
const struct protocol *toy_protocol_of(const struct toy_case *c, uint32_t call);
int toy_is_allgather(const struct toy_case *c, uint32_t call);
struct bcast_call toy_call_of(const struct toy_case *c, uint32_t call, uint32_t rank);
/* The bytes of a rank's buffer. */
uint32_t toy_message_bytes(const struct toy_case *c, uint32_t call);
/* Those that rank r has to give, as bits. */
uint32_t toy_contribution(const struct toy_case *c, uint32_t call, uint32_t r);

/* Where a word of the protocol lies in toy_words, TOY_NOWHERE if there is no such word. */
uint32_t toy_word_at(const struct toy_case *c, const struct protocol *p, uint32_t word, uint32_t owner, uint32_t index);

/* Whether the toy is large enough and the protocols support the calls. */
int toy_case_fits(const struct toy_case *c);

#endif
