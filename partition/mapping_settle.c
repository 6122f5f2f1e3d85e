/* Names of parts are anybody's: of two groups that are alike either may play either part. Here they are given so that ranks
 * stay. */
#include "partition/mapping_whole.h"
#include "partition/settle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Places in the order of their groups, so that a group of any level is a run of them, and the vertex at each. */
struct settling {
    const struct hierarchy *hierarchy;
    uint32_t *place, *vertex, *moved; /* [procs] */
    uint32_t *slot_of_place;          /* [procs] where in that order a place is */
    uint32_t *begin, *member, *of_member; /* [procs] groups within one: where they begin; those alike; where each is to go */
    uint32_t *index;                  /* [procs] of a slot, the number among the members of the group it is in; UINT32_MAX: in
                                         none */
};

/* Whether two runs of as many places are parted alike at all levels further in. */
static int alike(const struct settling *s, uint32_t level, uint32_t a, uint32_t b, uint32_t count)
{
    for (uint32_t l = level + 1; l < s->hierarchy->levels; l++) {
        const uint32_t *group = s->hierarchy->level[l].group;
        for (uint32_t i = 1; i < count; i++)
            if ((group[s->place[a + i]] == group[s->place[a + i - 1]]) != (group[s->place[b + i]] == group[s->place[b + i - 1]]))
                return 0;
    }
    return 1;
}

/* Groups that are alike take each other's vertices. */
static int class_settle(struct settling *s, uint32_t members, uint32_t count)
{
    size_t pairs = 0;
    struct settle_pair *pair = malloc((size_t)members * count * sizeof *pair);
    if (!pair)
        return -ENOMEM;
    for (uint32_t m = 0; m < members; m++)
        for (uint32_t i = 0; i < count; i++)
            s->index[s->member[m] + i] = m;
    for (uint32_t m = 0; m < members; m++)
        for (uint32_t i = 0; i < count; i++) {
            uint32_t home = s->index[s->slot_of_place[s->vertex[s->member[m] + i]]];
            if (home != UINT32_MAX)
                pair[pairs++] = (struct settle_pair){m, home, 1};
        }
    int error = settle_assign(members, pair, pairs, s->of_member);
    free(pair);
    for (uint32_t m = 0; m < members; m++)
        for (uint32_t i = 0; i < count; i++)
            s->index[s->member[m] + i] = UINT32_MAX;
    if (error)
        return error;
    for (uint32_t m = 0; m < members; m++)
        memcpy(s->moved + s->member[s->of_member[m]], s->vertex + s->member[m], count * sizeof *s->vertex);
    for (uint32_t m = 0; m < members; m++)
        memcpy(s->vertex + s->member[m], s->moved + s->member[m], count * sizeof *s->vertex);
    return 0;
}

/* The groups of a level within the run [begin, end). s->begin says where they begin, done ones being UINT32_MAX. */
static int run_settle(struct settling *s, uint32_t level, uint32_t begin, uint32_t end)
{
    const uint32_t *group = s->hierarchy->level[level].group;
    uint32_t groups = 0;
    int error = 0;
    for (uint32_t i = begin; i < end; i++)
        if (i == begin || group[s->place[i]] != group[s->place[i - 1]])
            s->begin[groups++] = i;
    s->begin[groups] = end;
    uint32_t *done = calloc(groups, sizeof *done);
    if (!done)
        return -ENOMEM;
    for (uint32_t g = 0; g < groups && !error; g++) {
        uint32_t members = 0, count = s->begin[g + 1] - s->begin[g];
        for (uint32_t other = g; other < groups && !done[g]; other++)
            if (!done[other] && s->begin[other + 1] - s->begin[other] == count &&
                alike(s, level, s->begin[g], s->begin[other], count)) {
                s->member[members++] = s->begin[other];
                done[other] = other != g;
            }
        error = members > 1 ? class_settle(s, members, count) : 0;
    }
    free(done);
    return error;
}

/* In an innermost group every place is as good: who can stays. */
static void places_settle(struct settling *s, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        s->moved[i] = UINT32_MAX;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t home = s->slot_of_place[s->vertex[i]];
        if (home >= begin && home < end) {
            s->moved[home] = s->vertex[i];
            s->vertex[i] = UINT32_MAX;
        }
    }
    for (uint32_t i = begin, to = begin; i < end; i++)
        if (s->vertex[i] != UINT32_MAX) {
            while (s->moved[to] != UINT32_MAX)
                to++;
            s->moved[to] = s->vertex[i];
        }
    memcpy(s->vertex + begin, s->moved + begin, (end - begin) * sizeof *s->vertex);
}

static int levels_settle(struct settling *s)
{
    const struct hierarchy *h = s->hierarchy;
    int error = 0;
    for (uint32_t l = 0; l <= h->levels && !error; l++)
        for (uint32_t begin = 0, end; begin < h->procs && !error; begin = end) {
            const uint32_t *outer = l ? h->level[l - 1].group : NULL;
            end = outer ? begin + 1 : h->procs;
            while (end < h->procs && outer[s->place[end]] == outer[s->place[begin]])
                end++;
            if (l < h->levels)
                error = run_settle(s, l, begin, end);
            else
                places_settle(s, begin, end);
        }
    return error;
}

static int settle(struct settling *s, struct mapping *mapping)
{
    uint32_t n = mapping->procs;
    hierarchy_sort(s->hierarchy, s->place);
    for (uint32_t i = 0; i < n; i++) {
        s->slot_of_place[s->place[i]] = i;
        s->vertex[i] = mapping->virtual_of_rank[s->place[i]];
        s->index[i] = UINT32_MAX;
    }
    int error = levels_settle(s);
    for (uint32_t i = 0; i < n && !error; i++) {
        mapping->virtual_of_rank[s->place[i]] = s->vertex[i];
        mapping->rank_of_virtual[s->vertex[i]] = s->place[i];
    }
    return error;
}

int mapping_settle(struct mapping *mapping, const struct hierarchy *hierarchy)
{
    size_t n = mapping->procs;
    if (mapping->form != MAPPING_TABLE)
        return 0;
    uint32_t *all = malloc((8 * n + 1) * sizeof *all);
    if (!all)
        return -ENOMEM;
    struct settling s = {.hierarchy = hierarchy, .place = all, .vertex = all + n, .moved = all + 2 * n,
                         .slot_of_place = all + 3 * n, .member = all + 4 * n, .of_member = all + 5 * n, .index = all + 6 * n,
                         .begin = all + 7 * n};
    int error = settle(&s, mapping);
    free(all);
    return error;
}
