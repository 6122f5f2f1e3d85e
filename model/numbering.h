/* Virtual numbering: which rank plays which part of a schedule (S3's pi and its inverse).
 *
 * A schedule speaks of virtual ranks only; whoever executes it says by a numbering who they are. NULL stands for the
 * identity. The arrays are the caller's and are only read. */
#ifndef SHMCOLL_MODEL_NUMBERING_H
#define SHMCOLL_MODEL_NUMBERING_H

#include <stdint.h>

struct numbering {
    const uint32_t *virtual_of_rank; /* [procs] */
    const uint32_t *rank_of_virtual; /* [procs] its inverse */
};

static inline uint32_t numbering_virtual(const struct numbering *numbering, uint32_t rank)
{
    return numbering ? numbering->virtual_of_rank[rank] : rank;
}

static inline uint32_t numbering_rank(const struct numbering *numbering, uint32_t virtual_rank)
{
    return numbering ? numbering->rank_of_virtual[virtual_rank] : virtual_rank;
}

/* 0, or -EINVAL unless the two are permutations of 0..procs-1, each the other's inverse. */
int numbering_check(const struct numbering *numbering, uint32_t procs);

#endif
