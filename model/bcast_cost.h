/* The cost model of the pipelined broadcast, as S1 prints it (5.2, 5.3).
 *
 * Times in seconds, sizes in bytes. Written f fragment, s slots, q sets, b = f*s, m message, [x] ceil(x).
 * The form is for ranks that wait for one another, so it knows no rank counts: those are inside t_w.
 * A message of 0 bytes costs 0, since the protocol then does nothing. Nothing is rounded: f* and s* are real numbers until
 * bcast_cost_page_round makes one of them executable. Pure functions, no allocation. */
#ifndef SHMCOLL_MODEL_BCAST_COST_H
#define SHMCOLL_MODEL_BCAST_COST_H

#include "model/node.h"

#include <stdint.h>

/* The paper's four costs as plain numbers, all >= 0. */
struct bcast_costs {
    double t_s_per_byte, t_w_s, t_wo_s, t_a_s;
};

/* The four addends of the form; their sum is t(m, s, q). */
struct bcast_cost_terms {
    double sets_s;   /* opening and leaving sets: t_wo + t_A each */
    double fill_s;   /* copies that nothing overlaps: [m/b] t_c, t_c or m t */
    double notify_s; /* [m/f] t_w */
    double copy_s;   /* m t */
};

/* Parameters of a queue and the time they give. */
struct bcast_queue {
    uint32_t fragment_bytes, slots, sets;
    double time_s;
};

/* 0; -EINVAL if f, s or q is 0 or q does not divide s. O(1). */
int bcast_cost_terms(const struct bcast_costs *costs, uint64_t size_bytes, uint32_t fragment_bytes, uint32_t slots, uint32_t sets,
                     struct bcast_cost_terms *out);
/* The sum of the terms; NAN where bcast_cost_terms refuses. */
double bcast_cost_s(const struct bcast_costs *costs, uint64_t size_bytes, uint32_t fragment_bytes, uint32_t slots, uint32_t sets);
/* Set openings the form bills: [m/b] q, which may exceed bcast_cost_sets_opened because the last lap is billed whole. */
uint64_t bcast_cost_sets_billed(uint64_t size_bytes, uint32_t fragment_bytes, uint32_t slots, uint32_t sets);
/* Set openings of the protocol: [ [m/f] / (s/q) ]. */
uint64_t bcast_cost_sets_opened(uint64_t size_bytes, uint32_t fragment_bytes, uint32_t slots, uint32_t sets);

/* f* = sqrt(m t_w / ([m/b] t)), the real number that minimises bcast_cost_relaxed_s for a queue of b bytes. s* = b / f*.
 * NAN if t or b is 0. */
double bcast_cost_fragment_opt_bytes(const struct bcast_costs *costs, uint64_t size_bytes, uint64_t buffer_bytes);
/* t(m, s) of one set as 5.3 minimises it: f real and m/f not rounded up. */
double bcast_cost_relaxed_s(const struct bcast_costs *costs, uint64_t size_bytes, double fragment_bytes, uint64_t buffer_bytes);
/* Up to the next multiple of the page, at least one page; 0 for NAN or what exceeds 32 bits. */
uint32_t bcast_cost_page_round(double bytes, uint32_t page_bytes);

/* The three recipes of 5.3, q = 1. 0; -EINVAL if a size is 0 or the result does not fit its field.
 * 1. m known: f = sqrt(m t_w / t) rounded up to a page, s = [m/f]: the message fits the queue. */
int bcast_cost_choose_by_message(const struct bcast_costs *costs, uint64_t size_bytes, uint32_t page_bytes,
                                 struct bcast_queue *out);
/* 2. f fixed, m_max the longest message: s = [m_max/f]. */
int bcast_cost_choose_by_fragment(const struct bcast_costs *costs, uint64_t size_max_bytes, uint32_t fragment_bytes,
                                  struct bcast_queue *out);
/* 3. s fixed: b = m_max, then f* rounded up to a page. The recipe does not use s, so f*s may end below m_max, and the
 * message then laps the queue; out->time_s is the true cost of that. */
int bcast_cost_choose_by_slots(const struct bcast_costs *costs, uint64_t size_max_bytes, uint32_t slots, uint32_t page_bytes,
                               struct bcast_queue *out);

/* The least t(m, s, q) over all f that are multiples of unit_bytes, s >= 1 and q <= sets_max (0: any) with q | s and
 * f*s <= budget_bytes. Exact, the saw-tooth of [m/b] included; of equal times the shortest queue wins, then the fewest sets.
 * 0; -EINVAL if m or unit is 0 or the budget holds no fragment. */
int bcast_cost_optimum(const struct bcast_costs *costs, uint64_t size_bytes, uint64_t budget_bytes, uint32_t unit_bytes,
                       uint32_t sets_max, struct bcast_queue *out);

/* Queue bytes a rank may have: 1 % of the memory per core, at most 10 MiB (S1: 0.1 to 1 %, b < 10 MB), in whole pages.
 * 4 MiB, the paper's b, where the node's memory is unknown. */
uint64_t bcast_cost_budget_bytes(const struct node *node);

/* Table 1: queue size in MiB for f and s = f/divisor as the paper prints it: rounded half up, to integers from 1 up in the
 * columns f/2..f/64, else to tenths without a trailing zero, below 0.05 to hundredths. Returns `text`. */
enum { BCAST_TABLE1_TEXT_BYTES = 32 };
const char *bcast_cost_table1_text(uint32_t fragment_bytes, uint32_t divisor, char text[BCAST_TABLE1_TEXT_BYTES]);
/* Its colour: 0 at most 10 MiB, 1 to 100 MiB, 2 above. */
int bcast_cost_table1_band(uint32_t fragment_bytes, uint32_t divisor);

#endif
