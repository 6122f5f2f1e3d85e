#include "model/bcast_cost.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

int bcast_cost_terms(const struct bcast_costs *costs, uint64_t size_bytes, uint32_t fragment_bytes, uint32_t slots, uint32_t sets,
                     struct bcast_cost_terms *out)
{
    if (fragment_bytes == 0 || slots == 0 || sets == 0 || slots % sets != 0)
        return -EINVAL;
    if (size_bytes == 0) {
        *out = (struct bcast_cost_terms){0, 0, 0, 0};
        return 0;
    }
    uint64_t buffer_bytes = (uint64_t)fragment_bytes * slots;
    double fragments = (double)ceil_div(size_bytes, fragment_bytes), laps = (double)ceil_div(size_bytes, buffer_bytes);
    double message_s = (double)size_bytes * costs->t_s_per_byte, fragment_s = fragment_bytes * costs->t_s_per_byte;
    double openings, fill_s;
    if (size_bytes <= fragment_bytes || slots == 1) { /* nothing overlaps: every byte is copied twice in turn */
        openings = fragments;
        fill_s = message_s;
    } else if (size_bytes <= buffer_bytes) {
        openings = 1;
        fill_s = fragment_s;
    } else if (sets == 1) {
        openings = laps;
        fill_s = laps * fragment_s;
    } else {
        openings = laps * sets;
        fill_s = fragment_s;
    }
    *out = (struct bcast_cost_terms){openings * (costs->t_wo_s + costs->t_a_s), fill_s, fragments * costs->t_w_s, message_s};
    return 0;
}

double bcast_cost_s(const struct bcast_costs *costs, uint64_t size_bytes, uint32_t fragment_bytes, uint32_t slots, uint32_t sets)
{
    struct bcast_cost_terms terms;
    if (bcast_cost_terms(costs, size_bytes, fragment_bytes, slots, sets, &terms))
        return NAN;
    return terms.sets_s + terms.fill_s + terms.notify_s + terms.copy_s;
}

uint64_t bcast_cost_sets_billed(uint64_t size_bytes, uint32_t fragment_bytes, uint32_t slots, uint32_t sets)
{
    uint64_t laps = ceil_div(size_bytes, (uint64_t)fragment_bytes * slots);
    return laps <= 1 ? laps : laps * sets;
}

uint64_t bcast_cost_sets_opened(uint64_t size_bytes, uint32_t fragment_bytes, uint32_t slots, uint32_t sets)
{
    return ceil_div(ceil_div(size_bytes, fragment_bytes), slots / sets);
}

double bcast_cost_fragment_opt_bytes(const struct bcast_costs *costs, uint64_t size_bytes, uint64_t buffer_bytes)
{
    if (size_bytes == 0 || buffer_bytes == 0 || !(costs->t_s_per_byte > 0))
        return NAN;
    double laps = (double)ceil_div(size_bytes, buffer_bytes);
    return sqrt((double)size_bytes * costs->t_w_s / (laps * costs->t_s_per_byte));
}

double bcast_cost_relaxed_s(const struct bcast_costs *costs, uint64_t size_bytes, double fragment_bytes, uint64_t buffer_bytes)
{
    if (size_bytes == 0 || buffer_bytes == 0 || !(fragment_bytes > 0))
        return NAN;
    double laps = (double)ceil_div(size_bytes, buffer_bytes), size = (double)size_bytes;
    return laps * (costs->t_wo_s + costs->t_a_s + fragment_bytes * costs->t_s_per_byte) + size / fragment_bytes * costs->t_w_s +
           size * costs->t_s_per_byte;
}

uint32_t bcast_cost_page_round(double bytes, uint32_t page_bytes)
{
    double pages = fmax(ceil(bytes / page_bytes), 1);
    return isnan(bytes) || page_bytes == 0 || pages * page_bytes > UINT32_MAX ? 0 : (uint32_t)pages * page_bytes;
}

/* Fills *out if f is valid and s fits; the time is the form's for one set. */
static int queue_of(const struct bcast_costs *costs, uint64_t size_bytes, uint32_t fragment_bytes, uint64_t slots,
                    struct bcast_queue *out)
{
    if (size_bytes == 0 || fragment_bytes == 0 || slots == 0 || slots > UINT32_MAX)
        return -EINVAL;
    double time_s = bcast_cost_s(costs, size_bytes, fragment_bytes, (uint32_t)slots, 1);
    *out = (struct bcast_queue){fragment_bytes, (uint32_t)slots, 1, time_s};
    return 0;
}

int bcast_cost_choose_by_message(const struct bcast_costs *costs, uint64_t size_bytes, uint32_t page_bytes,
                                 struct bcast_queue *out)
{
    uint32_t fragment = bcast_cost_page_round(bcast_cost_fragment_opt_bytes(costs, size_bytes, size_bytes), page_bytes);
    return queue_of(costs, size_bytes, fragment, fragment ? ceil_div(size_bytes, fragment) : 0, out);
}

int bcast_cost_choose_by_fragment(const struct bcast_costs *costs, uint64_t size_max_bytes, uint32_t fragment_bytes,
                                  struct bcast_queue *out)
{
    return queue_of(costs, size_max_bytes, fragment_bytes, fragment_bytes ? ceil_div(size_max_bytes, fragment_bytes) : 0, out);
}

int bcast_cost_choose_by_slots(const struct bcast_costs *costs, uint64_t size_max_bytes, uint32_t slots, uint32_t page_bytes,
                               struct bcast_queue *out)
{
    uint32_t fragment = bcast_cost_page_round(bcast_cost_fragment_opt_bytes(costs, size_max_bytes, size_max_bytes), page_bytes);
    return queue_of(costs, size_max_bytes, fragment, slots, out);
}

static int queue_better(const struct bcast_queue *a, const struct bcast_queue *b)
{
    if (a->time_s != b->time_s)
        return a->time_s < b->time_s;
    uint64_t a_bytes = (uint64_t)a->fragment_bytes * a->slots, b_bytes = (uint64_t)b->fragment_bytes * b->slots;
    return a_bytes != b_bytes ? a_bytes < b_bytes : a->sets < b->sets;
}

/* Best s for one f and q. Time never rises with s, so the most laps needed decide; of all s with as few laps the least. */
static void optimum_for_sets(const struct bcast_costs *costs, uint64_t size_bytes, uint32_t fragment, uint32_t slots_max,
                             uint32_t sets, struct bcast_queue *best)
{
    uint64_t row_bytes = (uint64_t)fragment * sets; /* one slot of every set */
    uint64_t laps = ceil_div(size_bytes, row_bytes * (slots_max / sets));
    uint32_t slots = (uint32_t)ceil_div(size_bytes, row_bytes * laps) * sets;
    struct bcast_queue queue = {fragment, slots, sets, bcast_cost_s(costs, size_bytes, fragment, slots, sets)};
    if (queue_better(&queue, best))
        *best = queue;
}

/* Best s and q for one f. More sets mean shorter sets, hence at least m q / (f slots_max) openings: once that alone is too
 * much, so is every larger q. */
static void optimum_for_fragment(const struct bcast_costs *costs, uint64_t size_bytes, uint32_t fragment, uint32_t slots_max,
                                 uint32_t sets_max, struct bcast_queue *best)
{
    double fragments = (double)ceil_div(size_bytes, fragment), opening_s = costs->t_wo_s + costs->t_a_s;
    double least_s = fragments * costs->t_w_s + ((double)fragment + (double)size_bytes) * costs->t_s_per_byte;
    double openings_per_set = (double)size_bytes / ((double)fragment * slots_max);
    optimum_for_sets(costs, size_bytes, fragment, 1, 1, best);
    for (uint32_t q = 1; q <= slots_max && (sets_max == 0 || q <= sets_max); q++) {
        if (q > 1 && ((uint64_t)fragment * slots_max >= size_bytes || least_s + q * openings_per_set * opening_s > best->time_s))
            break;
        optimum_for_sets(costs, size_bytes, fragment, slots_max, q, best);
    }
}

int bcast_cost_optimum(const struct bcast_costs *costs, uint64_t size_bytes, uint64_t budget_bytes, uint32_t unit_bytes,
                       uint32_t sets_max, struct bcast_queue *out)
{
    if (size_bytes == 0 || unit_bytes == 0 || budget_bytes < unit_bytes)
        return -EINVAL;
    struct bcast_queue best = {.time_s = INFINITY};
    double least_s = (double)size_bytes * costs->t_s_per_byte;
    uint64_t fragment_max = budget_bytes < UINT32_MAX ? budget_bytes : UINT32_MAX;
    for (uint64_t f = unit_bytes; f <= fragment_max; f += unit_bytes) {
        uint64_t slots_max = budget_bytes / f;
        if (f < size_bytes && least_s + (double)f * costs->t_s_per_byte > best.time_s) {
            /* Fragments shorter than the message cost at least t_c besides m t; only the first that holds it whole is left. */
            uint64_t whole = ceil_div(size_bytes, unit_bytes) * unit_bytes;
            if (whole > fragment_max)
                break;
            f = whole;
            slots_max = 1;
        }
        optimum_for_fragment(costs, size_bytes, (uint32_t)f, slots_max < UINT32_MAX ? (uint32_t)slots_max : UINT32_MAX, sets_max,
                             &best);
        if (f >= size_bytes)
            break;
    }
    *out = best;
    return 0;
}

uint64_t bcast_cost_budget_bytes(const struct node *node)
{
    const uint64_t most = 10u << 20, unknown = 4u << 20;
    uint64_t memory = 0, page = node->page_bytes ? node->page_bytes : 4096;
    for (uint32_t d = 0; d < node->domains; d++)
        memory += node->domain_memory_bytes ? node->domain_memory_bytes[d] : 0;
    uint64_t share = memory / (node->cores ? node->cores : 1) / 100;
    uint64_t budget = memory == 0 ? unknown : share < most ? share : most;
    return budget < page ? page : budget / page * page;
}

const char *bcast_cost_table1_text(uint32_t fragment_bytes, uint32_t divisor, char text[BCAST_TABLE1_TEXT_BYTES])
{
    uint64_t mib = 1u << 20, bytes = divisor ? (uint64_t)fragment_bytes * (fragment_bytes / divisor) : 0;
    uint64_t ones = (bytes + mib / 2) / mib, tenths = (bytes * 10 + mib / 2) / mib, hundredths = (bytes * 100 + mib / 2) / mib;
    if (bytes >= mib && divisor <= 64)
        snprintf(text, BCAST_TABLE1_TEXT_BYTES, "%llu", (unsigned long long)ones);
    else if (bytes * 20 < mib)
        snprintf(text, BCAST_TABLE1_TEXT_BYTES, "0.%02llu", (unsigned long long)hundredths);
    else if (tenths % 10 == 0)
        snprintf(text, BCAST_TABLE1_TEXT_BYTES, "%llu", (unsigned long long)tenths / 10);
    else
        snprintf(text, BCAST_TABLE1_TEXT_BYTES, "%llu.%llu", (unsigned long long)tenths / 10, (unsigned long long)tenths % 10);
    return text;
}

int bcast_cost_table1_band(uint32_t fragment_bytes, uint32_t divisor)
{
    uint64_t bytes = divisor ? (uint64_t)fragment_bytes * (fragment_bytes / divisor) : 0;
    return bytes <= 10u << 20 ? 0 : bytes <= 100u << 20 ? 1 : 2;
}
