#include "sim/sim_bandwidth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

/* ---- plans ---- */

static void plan_destroy(struct sim_bandwidth_plan *p)
{
    for (uint32_t i = 0; p->resource && i < p->resources; i++)
        free(p->resource[i].bytes_per_s);
    free(p->resource);
    free(p->left);
    free(p->demand);
    free(p->users);
    free(p->used);
    free(p->class);
    free(p->ending);
    free(p->kept);
    free(p);
}

static struct sim_bandwidth_plan *plan_create(uint32_t resources, uint32_t groups)
{
    struct sim_bandwidth_plan *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->resources = resources;
    p->groups = groups;
    p->resource = calloc(resources + 1, sizeof *p->resource);
    p->left = calloc(resources + 1, sizeof *p->left);
    p->demand = calloc(resources + 1, sizeof *p->demand);
    p->users = calloc(resources + 1, sizeof *p->users);
    p->used = calloc(resources + 1, sizeof *p->used);
    p->kept = malloc(SIM_SHARES_KEPT * sizeof *p->kept);
    for (uint32_t i = 0; p->kept && i < SIM_SHARES_KEPT; i++)
        p->kept[i].classes = 0; /* then no more of it is looked at; to clear it all is a tenth of a short simulation */
    if (p->resource && p->left && p->demand && p->users && p->used && p->kept)
        return p;
    plan_destroy(p);
    return NULL;
}

int sim_bandwidth_resource(struct sim_bandwidth *b, uint32_t resource, const double *bytes_per_s, uint32_t entries)
{
    struct sim_resource *r = &b->plan->resource[resource];
    double *table = malloc(entries * sizeof *table);
    if (!table)
        return -ENOMEM;
    memcpy(table, bytes_per_s, entries * sizeof *table);
    free(r->bytes_per_s);
    *r = (struct sim_resource){table, entries};
    return 0;
}

static int class_same(const struct sim_class *a, const struct sim_class *b)
{
    if (a->bytes_per_s != b->bytes_per_s || a->beside != b->beside || a->group != b->group || a->rival != b->rival ||
        a->uses != b->uses)
        return 0;
    for (uint32_t i = 0; i < a->uses; i++)
        if (a->use[i].resource != b->use[i].resource || a->use[i].load != b->use[i].load)
            return 0;
    return 1;
}

static int plan_room(struct sim_bandwidth_plan *p)
{
    uint32_t room = p->classes_max ? 2 * p->classes_max : 16;
    struct sim_class *class = realloc(p->class, room * sizeof *class);
    if (!class)
        return -ENOMEM;
    p->class = class;
    struct sim_ending *ending = realloc(p->ending, room * sizeof *ending);
    if (!ending)
        return -ENOMEM;
    p->ending = ending;
    p->classes_max = room;
    return 0;
}

int sim_bandwidth_class(struct sim_bandwidth *b, const struct sim_class *wanted, uint32_t *id)
{
    struct sim_bandwidth_plan *p = b->plan;
    for (uint32_t i = 0; i < p->classes; i++)
        if (class_same(&p->class[i], wanted)) {
            *id = i;
            return 0;
        }
    if (p->classes == p->classes_max && plan_room(p) != 0)
        return -ENOMEM;
    p->class[p->classes] = *wanted;
    *id = p->classes++;
    return sim_bandwidth_states(b);
}

/* ---- flows by a plan ---- */

static int create(struct sim_bandwidth *b, uint32_t flows)
{
    b->flows = flows;
    b->group_count = calloc(b->plan->groups + 1, sizeof *b->group_count);
    b->flow = calloc(flows + 1, sizeof *b->flow);
    b->active = calloc(flows + 1, sizeof *b->active);
    if (b->group_count && b->flow && b->active)
        return 0;
    sim_bandwidth_destroy(b);
    return -ENOMEM;
}

int sim_bandwidth_create(struct sim_bandwidth *b, uint32_t resources, uint32_t groups, uint32_t flows, uint32_t base_target)
{
    *b = (struct sim_bandwidth){.base_target = base_target, .plan = plan_create(resources, groups)};
    return b->plan ? create(b, flows) : -ENOMEM;
}

int sim_bandwidth_create_alike(struct sim_bandwidth *b, const struct sim_bandwidth *other, uint32_t flows)
{
    *b = (struct sim_bandwidth){.base_target = other->base_target, .plan = other->plan, .borrowed = 1};
    return create(b, flows);
}

void sim_bandwidth_destroy(struct sim_bandwidth *b)
{
    if (b->plan && !b->borrowed)
        plan_destroy(b->plan);
    free(b->group_count);
    free(b->flow);
    free(b->active);
    free(b->state);
    *b = (struct sim_bandwidth){0};
}

int sim_bandwidth_states(struct sim_bandwidth *b)
{
    if (b->states >= b->plan->classes)
        return 0;
    struct sim_class_state *state = realloc(b->state, b->plan->classes_max * sizeof *state);
    if (!state)
        return -ENOMEM;
    for (uint32_t i = b->states; i < b->plan->classes_max; i++)
        state[i] = (struct sim_class_state){.first = NONE, .last = NONE};
    b->state = state;
    b->states = b->plan->classes_max;
    return 0;
}

int sim_bandwidth_flows(struct sim_bandwidth *b, uint32_t flows)
{
    struct sim_flow *flow = realloc(b->flow, (flows + 1) * sizeof *flow);
    if (!flow)
        return -ENOMEM;
    b->flow = flow;
    uint32_t *active = realloc(b->active, (flows + 1) * sizeof *active);
    if (!active)
        return -ENOMEM;
    b->active = active;
    b->flows = flows;
    return 0;
}
