/* From what was given of f, s and b to a queue that can be executed. */
#ifndef SHMCOLL_EXPERIMENTS_QUEUE_CHOICE_H
#define SHMCOLL_EXPERIMENTS_QUEUE_CHOICE_H

#include "model/bcast_cost.h"

#include <stddef.h>
#include <stdint.h>

struct queue_request {
    uint64_t fragment_bytes, slots, buffer_bytes; /* 0: not given */
    uint64_t sets;                                /* at least 1 */
};

/* Given two of f, s, b the third follows. Given one or none, the model's recipes choose the rest: b alone, or nothing, takes the
 * exact optimum within b or within the budget; f alone s = [m/f], s alone f* for b = m, both within the budget.
 *   costs  NULL, or with NAN where unknown: then f = 8192 and s = 64, as far as they fit
 * 0; -EINVAL with one line in `reason`. */
int queue_choose(const struct queue_request *request, const struct bcast_costs *costs, uint64_t size_bytes, uint64_t budget_bytes,
                 uint32_t page_bytes, struct bcast_queue *out, char *reason, size_t reason_bytes);

#endif
