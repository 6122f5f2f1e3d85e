#include "experiments/queue_choice.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

enum { FRAGMENT_DEFAULT_BYTES = 8192, SLOTS_DEFAULT = 64 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static int costs_known(const struct bcast_costs *costs)
{
    return costs && costs->t_s_per_byte > 0 && costs->t_w_s > 0 && costs->t_wo_s >= 0 && costs->t_a_s >= 0;
}

/* What is not given comes from b = f*s; all three given must agree. */
static int follow(const struct queue_request *r, uint64_t *fragment, uint64_t *slots, char *reason, size_t reason_bytes)
{
    *fragment = r->fragment_bytes;
    *slots = r->slots;
    if (*fragment && *slots && r->buffer_bytes) {
        if (*fragment * *slots == r->buffer_bytes)
            return 0;
        snprintf(reason, reason_bytes,
                 "--fragment %llu times --slots %llu is not --buffer %llu: give two of them, the third follows",
                 (unsigned long long)*fragment, (unsigned long long)*slots, (unsigned long long)r->buffer_bytes);
        return -EINVAL;
    }
    if (*fragment && *slots)
        return 0;
    if (*fragment)
        *slots = r->buffer_bytes / *fragment / r->sets * r->sets;
    else
        *fragment = r->buffer_bytes / *slots;
    if (*fragment && *slots)
        return 0;
    snprintf(reason, reason_bytes, "--buffer %llu is too small: it must hold a fragment for each of %llu sets",
             (unsigned long long)r->buffer_bytes, (unsigned long long)r->sets);
    return -EINVAL;
}

/* A number of slots that the sets divide, not above what the bytes hold if that is possible. */
static uint64_t whole_sets(uint64_t slots, uint64_t slots_most, uint64_t sets)
{
    slots = smaller((slots + sets - 1) / sets * sets, slots_most / sets * sets);
    return slots ? slots : sets;
}

static void by_fragment(const struct queue_request *r, uint64_t size, uint64_t budget, uint64_t *slots)
{
    uint64_t fragments = size / r->fragment_bytes + (size % r->fragment_bytes != 0);
    *slots = whole_sets(fragments ? fragments : 1, budget / r->fragment_bytes, r->sets);
}

static void by_slots(const struct queue_request *r, const struct bcast_costs *costs, uint64_t size, uint64_t budget,
                     uint32_t page, uint64_t *fragment)
{
    uint64_t most = budget / r->slots;
    struct bcast_queue queue;
    *fragment = FRAGMENT_DEFAULT_BYTES;
    if (costs_known(costs) && size && bcast_cost_choose_by_slots(costs, size, (uint32_t)r->slots, page, &queue) == 0)
        *fragment = queue.fragment_bytes;
    *fragment = smaller(*fragment, most ? most : 1);
}

static int by_bytes(const struct queue_request *r, const struct bcast_costs *costs, uint64_t size, uint64_t bytes, uint32_t page,
                    uint64_t *fragment, uint64_t *slots, char *reason, size_t reason_bytes)
{
    struct bcast_queue queue;
    uint32_t unit = bytes / r->sets < page ? 1 : page;
    if (bytes < r->sets) {
        snprintf(reason, reason_bytes, "--buffer %llu is too small for %llu sets", (unsigned long long)bytes,
                 (unsigned long long)r->sets);
        return -EINVAL;
    }
    if (costs_known(costs) && size && bcast_cost_optimum(costs, size, bytes, unit, (uint32_t)r->sets, &queue) == 0) {
        *fragment = queue.fragment_bytes;
        *slots = whole_sets(queue.slots, bytes / queue.fragment_bytes, r->sets);
        return 0;
    }
    *fragment = smaller(FRAGMENT_DEFAULT_BYTES, bytes / r->sets);
    *slots = whole_sets(SLOTS_DEFAULT, bytes / *fragment, r->sets);
    return 0;
}

int queue_choose(const struct queue_request *request, const struct bcast_costs *costs, uint64_t size_bytes, uint64_t budget_bytes,
                 uint32_t page_bytes, struct bcast_queue *out, char *reason, size_t reason_bytes)
{
    const struct queue_request *r = request;
    uint64_t fragment = r->fragment_bytes, slots = r->slots;
    int given = (fragment != 0) + (slots != 0) + (r->buffer_bytes != 0), error = 0;
    if (given >= 2)
        error = follow(r, &fragment, &slots, reason, reason_bytes);
    else if (fragment)
        by_fragment(r, size_bytes, budget_bytes, &slots);
    else if (slots)
        by_slots(r, costs, size_bytes, budget_bytes, page_bytes, &fragment);
    else
        error = by_bytes(r, costs, size_bytes, r->buffer_bytes ? r->buffer_bytes : budget_bytes, page_bytes, &fragment, &slots,
                         reason, reason_bytes);
    if (error)
        return error;
    if (slots % r->sets) {
        snprintf(reason, reason_bytes, "--sets %llu does not divide --slots %llu: use a divisor", (unsigned long long)r->sets,
                 (unsigned long long)slots);
        return -EINVAL;
    }
    if (fragment > UINT32_MAX || slots > UINT32_MAX) {
        snprintf(reason, reason_bytes, "a queue of %llu slots of %llu bytes is too large", (unsigned long long)slots,
                 (unsigned long long)fragment);
        return -EINVAL;
    }
    *out = (struct bcast_queue){
        .fragment_bytes = (uint32_t)fragment, .slots = (uint32_t)slots, .sets = (uint32_t)r->sets, .time_s = NAN};
    return 0;
}
