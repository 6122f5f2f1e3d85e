#include "model/channel/credit.h"

#include <errno.h>

uint32_t credit_slots(uint32_t senders, uint32_t initial, uint32_t extension)
{
    uint64_t least = (uint64_t)senders * initial + extension, slots = 1;
    while (slots < least && slots <= UINT32_MAX)
        slots *= 2;
    return slots <= UINT32_MAX ? (uint32_t)slots : 0;
}

int credit_pool_start(struct credit_pool *pool, uint32_t senders, uint32_t initial, uint32_t slots)
{
    if (senders == 0 || initial == 0 || (uint64_t)senders * initial > slots)
        return -EINVAL;
    uint32_t total = slots - senders * initial;
    *pool = (struct credit_pool){.free = total, .total = total, .initial = initial, .senders = senders};
    return 0;
}

void credit_sender_start(struct credit_sender *s, uint32_t initial, uint32_t total)
{
    *s = (struct credit_sender){.limit = total + initial, .spent = total, .initial = initial};
}

void credit_account_start(struct credit_account *a, uint32_t initial, uint32_t total)
{
    *a = (struct credit_account){.allowed = total + initial, .seen = total, .released = total};
}

int64_t credit_pool_seek(struct credit_pool *pool, struct credit_account *accounts)
{
    if (pool->unmet == 0)
        return CREDIT_NOBODY;
    pool->hand = (pool->hand + 1) % pool->senders;
    struct credit_account *a = &accounts[pool->hand];
    if (a->busy || a->wish || a->extension == 0) {
        a->busy = 0;
        return CREDIT_NOBODY;
    }
    uint32_t owed = credit_least(credit_account_owed(pool, a), a->extension);
    credit_account_set(pool, a, a->extension - owed, a->wish);
    return a->extension ? (int64_t)pool->hand : CREDIT_NOBODY;
}

int credit_pool_sound(const struct credit_pool *pool, const struct credit_account *accounts, uint32_t slots)
{
    uint64_t sum = pool->free;
    uint32_t claimants = 0, unmet = 0;
    for (uint32_t i = 0; i < pool->senders; i++) {
        const struct credit_account *a = &accounts[i];
        sum += (uint64_t)pool->initial + a->extension;
        claimants += a->extension || a->wish;
        unmet += a->wish;
        if (a->allowed - a->released > pool->initial + a->extension || a->seen - a->released > pool->initial + a->extension ||
            (int32_t)(a->allowed - a->seen) < 0)
            return 0;
    }
    return sum == slots && claimants == pool->claimants && unmet == pool->unmet;
}
