/* Trees of domains joined at the root: no tables but who is where, for any root; parents and children are computed. */
#include "model/tree_joined.h"

#include <errno.h>
#include <stdlib.h>

/* The number of a domain by the order in which domains first appear; its ranks are counted on the way. */
static uint32_t domain_number(struct tree_joined *j, uint32_t *names, uint32_t name)
{
    uint32_t d = 0;
    while (d < j->domains && names[d] != name)
        d++;
    if (d == j->domains)
        names[j->domains++] = name;
    return d;
}

struct tree_joined *tree_joined_create(uint32_t degree, uint32_t procs, const uint32_t *domain_of_rank)
{
    struct tree_joined *j = malloc(sizeof *j + (4 * (size_t)procs + 1) * sizeof(uint32_t));
    if (!j)
        return NULL;
    *j = (struct tree_joined){.degree = degree};
    uint32_t *names = j->table + 3 * (size_t)procs; /* until `start` takes their place */
    j->domain = j->table;
    j->place = j->table + procs;
    j->member = j->table + 2 * (size_t)procs;
    for (uint32_t r = 0; r < procs; r++)
        j->domain[r] = domain_number(j, names, domain_of_rank ? domain_of_rank[r] : 0);
    j->start = names;
    for (uint32_t d = 0, next = 0; d <= j->domains; d++) {
        j->start[d] = next;
        for (uint32_t r = 0; r < procs && d < j->domains; r++)
            if (j->domain[r] == d) {
                j->place[r] = next - j->start[d];
                j->member[next++] = r;
            }
    }
    return j;
}

static uint32_t size_of(const struct tree_joined *j, uint32_t domain)
{
    return j->start[domain + 1] - j->start[domain];
}

/* A rank's number in the tree of its own domain, where the root or the first rank is 0. */
static uint32_t local_of(const struct tree_joined *j, uint32_t root, uint32_t rank)
{
    uint32_t d = j->domain[rank];
    if (d != j->domain[root])
        return j->place[rank];
    return j->place[rank] >= j->place[root] ? j->place[rank] - j->place[root] : j->place[rank] + size_of(j, d) - j->place[root];
}

static uint32_t rank_of(const struct tree_joined *j, uint32_t root, uint32_t domain, uint32_t local)
{
    uint64_t place = local;
    if (domain == j->domain[root])
        place = (place + j->place[root]) % size_of(j, domain);
    return j->member[j->start[domain] + place];
}

/* The root's domain comes first, the others follow in their order. */
uint32_t tree_joined_virtual(const struct tree_joined *j, uint32_t root, uint32_t rank)
{
    uint32_t d = j->domain[rank], home = j->domain[root];
    return local_of(j, root, rank) + (d == home ? 0 : j->start[d] + (d < home ? size_of(j, home) : 0));
}

uint32_t tree_joined_rank(const struct tree_joined *j, uint32_t root, uint32_t virtual_rank)
{
    uint32_t home = j->domain[root], n = size_of(j, home);
    if (virtual_rank < n)
        return rank_of(j, root, home, virtual_rank);
    return j->member[virtual_rank - n < j->start[home] ? virtual_rank - n : virtual_rank];
}

/* Children within the own domain. */
static uint32_t local_children(const struct tree_joined *j, uint32_t root, uint32_t rank)
{
    uint64_t first = (uint64_t)local_of(j, root, rank) * j->degree + 1, n = size_of(j, j->domain[rank]);
    return first >= n ? 0 : n - first < j->degree ? (uint32_t)(n - first) : j->degree;
}

uint32_t tree_joined_child_count(const struct tree_joined *j, uint32_t root, uint32_t rank)
{
    return local_children(j, root, rank) + (rank == root ? j->domains - 1 : 0);
}

/* The root tells the other domains first: what goes to them is longer on its way. */
uint32_t tree_joined_child(const struct tree_joined *j, uint32_t root, uint32_t rank, uint32_t i)
{
    uint32_t others = rank == root ? j->domains - 1 : 0, home = j->domain[root];
    if (i < others)
        return j->member[j->start[i < home ? i : i + 1]];
    return rank_of(j, root, j->domain[rank], local_of(j, root, rank) * j->degree + 1 + i - others);
}

uint32_t tree_joined_parent(const struct tree_joined *j, uint32_t root, uint32_t rank)
{
    uint32_t local = local_of(j, root, rank);
    return local == 0 ? root : rank_of(j, root, j->domain[rank], (local - 1) / j->degree);
}

uint32_t tree_joined_depth(const struct tree_joined *j, uint32_t root, uint32_t rank)
{
    uint32_t depth = 0;
    for (; rank != root; rank = tree_joined_parent(j, root, rank))
        depth++;
    return depth;
}
