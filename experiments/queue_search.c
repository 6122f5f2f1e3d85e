#include "experiments/queue_search.h"

#include <errno.h>

enum { FRAGMENT_MAX_BYTES = 1 << 20 };

static int predict(const struct scenario *scenario, double *time_s)
{
    struct outcome outcome;
    struct scenario own = *scenario;
    own.variant = "extended";
    outcome_init(&outcome);
    int error = evaluator_model.evaluate(&own, NULL, &outcome);
    *time_s = outcome.time_s;
    outcome_destroy(&outcome);
    return error;
}

int queue_search(struct scenario *scenario, uint64_t buffer_bytes)
{
    struct scenario trial = *scenario;
    uint32_t page = scenario->machine.node->page_bytes ? scenario->machine.node->page_bytes : 4096, sets = scenario->params.sets;
    double best_s = 0;
    int found = 0;
    /* Powers of two and what lies halfway, in whole pages. */
    for (uint32_t i = 0; i < 2 * 32; i++) {
        uint64_t fragment = (uint64_t)page << (i / 2);
        fragment += i % 2 ? fragment / 2 : 0;
        if (i == 1)
            continue;
        if (fragment > FRAGMENT_MAX_BYTES || fragment * sets > buffer_bytes)
            break;
        for (uint64_t slots = sets; slots * fragment <= buffer_bytes && slots <= UINT32_MAX; slots *= 2) {
            double time_s;
            trial.params.fragment_bytes = (uint32_t)fragment;
            trial.params.slots = (uint32_t)slots;
            int error = predict(&trial, &time_s);
            if (error)
                return error;
            if (!found || time_s < best_s) {
                found = 1;
                best_s = time_s;
                scenario->params = trial.params;
            }
        }
    }
    return found ? 0 : -ERANGE;
}
