#include "partition/hierarchy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int hierarchy_init(struct hierarchy *out, uint32_t procs)
{
    *out = (struct hierarchy){.procs = procs};
    return procs ? 0 : -EINVAL;
}

void hierarchy_destroy(struct hierarchy *h)
{
    for (uint32_t l = 0; l < h->levels; l++)
        free(h->level[l].group);
    *h = (struct hierarchy){0};
}

struct keyed {
    uint32_t outer, key, rank;
};

static int keyed_compare(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->outer != y->outer)
        return x->outer < y->outer ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Numbers the groups by the outer group and then by key; returns how many. */
static uint32_t groups_number(struct keyed *all, uint32_t procs, uint32_t *group)
{
    uint32_t number = 0;
    qsort(all, procs, sizeof *all, keyed_compare);
    for (uint32_t i = 0; i < procs; i++) {
        if (i && (all[i].outer != all[i - 1].outer || all[i].key != all[i - 1].key))
            number++;
        group[all[i].rank] = number;
    }
    return number + 1;
}

int hierarchy_add(struct hierarchy *h, const char *name, const uint32_t *key)
{
    const struct hierarchy_level *before = h->levels ? &h->level[h->levels - 1] : NULL;
    if (h->levels == HIERARCHY_LEVELS_MAX)
        return -EINVAL;
    struct keyed *all = malloc(h->procs * sizeof *all);
    uint32_t *group = malloc(h->procs * sizeof *group);
    if (!all || !group) {
        free(all);
        free(group);
        return -ENOMEM;
    }
    for (uint32_t r = 0; r < h->procs; r++)
        all[r] = (struct keyed){before ? before->group[r] : 0, key[r], r};
    uint32_t groups = groups_number(all, h->procs, group);
    free(all);
    if (groups == (before ? before->groups : 1)) {
        free(group);
        return 0;
    }
    struct hierarchy_level *level = &h->level[h->levels++];
    *level = (struct hierarchy_level){.groups = groups, .group = group};
    snprintf(level->name, sizeof level->name, "%s", name);
    for (uint32_t l = 0; l < h->levels; l++)
        h->level[l].distance = h->levels - l;
    return 0;
}

static void keys_of_cores(uint32_t *key, uint32_t procs, const uint32_t *of_core, const uint32_t *core_of_rank)
{
    for (uint32_t r = 0; r < procs; r++)
        key[r] = of_core[core_of_rank[r]];
}

int hierarchy_of_nodes(struct hierarchy *out, uint32_t procs, uint32_t per_node, const struct node *node,
                       const uint32_t *core_of_rank)
{
    int error = per_node ? hierarchy_init(out, procs) : -EINVAL;
    uint32_t *key = error ? NULL : malloc(procs * sizeof *key);
    if (error || !key)
        return error ? error : -ENOMEM;
    for (uint32_t r = 0; r < procs; r++)
        key[r] = r / per_node;
    error = hierarchy_add(out, "node", key);
    const char *const names[] = {"socket", "domain", "cache"};
    const uint32_t *const of_core[] = {node ? node->core_socket : NULL, node ? node->core_domain : NULL,
                                       node ? node->core_cache : NULL};
    for (size_t i = 0; i < 3 && node && !error; i++) {
        keys_of_cores(key, procs, of_core[i], core_of_rank);
        error = hierarchy_add(out, names[i], key);
    }
    free(key);
    if (error)
        hierarchy_destroy(out);
    return error;
}

uint32_t hierarchy_parted(const struct hierarchy *h, uint32_t a, uint32_t b)
{
    uint32_t l = 0;
    while (l < h->levels && h->level[l].group[a] == h->level[l].group[b])
        l++;
    return l;
}

double hierarchy_distance(const struct hierarchy *h, uint32_t a, uint32_t b)
{
    uint32_t l = hierarchy_parted(h, a, b);
    return l < h->levels ? h->level[l].distance : h->distance_within;
}
