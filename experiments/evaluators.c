#include "experiments/evaluators.h"

#include <string.h>

const struct evaluator *const evaluator_table[] = {
    &evaluator_model,
    &evaluator_sim,
    &evaluator_run,
    NULL,
};

const struct evaluator *evaluator_find(const char *name)
{
    for (size_t i = 0; evaluator_table[i]; i++)
        if (strcmp(evaluator_table[i]->name, name) == 0)
            return evaluator_table[i];
    return NULL;
}
