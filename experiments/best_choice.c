#include "experiments/best_choice.h"

#include "experiments/scenario_build.h"

#include <stdio.h>
#include <string.h>

/* What auto leaves open; a tree of its own, or more sets, is a wish for a queue of that kind. */
static int anything_goes(const struct settings *s)
{
    int tree = s->tree.count == 1 && s->tree.shape[0].kind == TREE_FLAT,
        sets = s->sets.count == 0 || (s->sets.count == 1 && s->sets.value[0] == 1);
    return tree && sets && !settings_give_queue(s) && !s->readers_most && !s->control_pages;
}

int best_choice_wanted(const struct settings *s, const struct node *node)
{
    if (strcmp(s->protocol, "auto"))
        return strcmp(s->protocol, "best") == 0;
    int about_form = strcmp(s->command, "compare") == 0 || (s->variant && strcmp(s->variant, "paper") == 0);
    return anything_goes(s) && !node->contention_free && !about_form;
}

static void show(const struct choice_table *table, uint32_t procs, int verbosity)
{
    char size[24] = "0", last[24], fragment[24], tree[32];
    talk_note(verbosity, 1, "best, %u ranks: %u lanes of %u candidates", procs, table->lanes, table->candidates);
    for (uint32_t i = 0; i < table->lanes; i++) {
        const struct choice_lane *lane = &table->lane[i];
        const struct params *p = &lane->params;
        if (lane->size_max_bytes == UINT64_MAX)
            snprintf(last, sizeof last, "any");
        else
            size_format(lane->size_max_bytes, last, sizeof last);
        talk_note(verbosity, 1, "  above %6s to %6s: %-13s f=%s s=%u q=%u%s%s", size, last, p->protocol->name,
                  size_format(p->fragment_bytes, fragment, sizeof fragment), p->slots, p->sets,
                  p->protocol->uses & PROTOCOL_ALLGATHER ? "" : " ",
                  p->protocol->uses & PROTOCOL_ALLGATHER ? "" : tree_shape_format(p->tree, tree, sizeof tree));
        memcpy(size, last, sizeof size);
    }
}

int best_choice_apply(struct best_choice *best, const struct settings *settings, struct scenario *scenario)
{
    if (best->procs != scenario->job.procs) {
        struct choice_permits permits = {.peers = 1}; /* the node knows what the kernel's copies cost where there are any */
        int error = choice_table_make(scenario, &permits, &best->table);
        if (error)
            return error;
        best->procs = scenario->job.procs;
        show(&best->table, best->procs, settings->verbosity);
    }
    scenario->params = choice_table_find(&best->table, job_size_bytes(&scenario->job))->params;
    return 0;
}
