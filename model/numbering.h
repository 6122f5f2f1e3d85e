/* Virtual numbering: which rank plays which part of a schedule (S3's pi and its inverse).
 *
 * A schedule speaks of virtual ranks only; whoever executes it says by a numbering who they are. NULL stands for the
 * identity. The arrays are the caller's and are only read.
 *
 * For an Allgather a numbering also says how every block comes to where it belongs (S3):
 *   PLACED   block v is that of the rank who plays v, and lies at that rank's number from the moment it comes: nothing is moved,
 *            but what goes in one message lies apart
 *   EXCH     first every rank sends its block to the rank who plays its number, and begins with the one that it gets: so block v
 *            is that of rank v, and lies right wherever it comes
 *   REORDER  as PLACED, but block v lies at place v, as without numbering, and in the end every rank moves its blocks */
#ifndef SHMCOLL_MODEL_NUMBERING_H
#define SHMCOLL_MODEL_NUMBERING_H

#include <stdint.h>

enum numbering_remap { NUMBERING_PLACED, NUMBERING_EXCH, NUMBERING_REORDER };

/* What one rank has to know of a numbering, but for REORDER's moves in the end: a few numbers instead of all. */
enum { NUMBERING_NEIGHBOURS_MAX = 64 };
struct numbering_neighbours {
    uint32_t rank, virtual_rank; /* its own */
    uint32_t count;
    uint32_t virtual_of[NUMBERING_NEIGHBOURS_MAX], rank_of[NUMBERING_NEIGHBOURS_MAX];
};

struct numbering {
    const uint32_t *virtual_of_rank; /* [procs] */
    const uint32_t *rank_of_virtual; /* [procs] its inverse */
    enum numbering_remap remap;
    const struct numbering_neighbours *neighbours; /* instead of the arrays, for what they know: NULL: the arrays */
};

/* The rank that plays a neighbour; UINT32_MAX if it is none. */
uint32_t numbering_neighbour_rank(const struct numbering_neighbours *neighbours, uint32_t virtual_rank);

static inline uint32_t numbering_virtual(const struct numbering *numbering, uint32_t rank)
{
    if (numbering && numbering->neighbours)
        return numbering->neighbours->virtual_rank;
    return numbering ? numbering->virtual_of_rank[rank] : rank;
}

static inline uint32_t numbering_rank(const struct numbering *numbering, uint32_t virtual_rank)
{
    if (numbering && numbering->neighbours)
        return numbering_neighbour_rank(numbering->neighbours, virtual_rank);
    return numbering ? numbering->rank_of_virtual[virtual_rank] : virtual_rank;
}

/* 0, or -EINVAL unless the two are permutations of 0..procs-1, each the other's inverse. */
int numbering_check(const struct numbering *numbering, uint32_t procs);

/* "placed", "exch", "reorder". */
const char *numbering_remap_name(enum numbering_remap remap);

/* REORDER's moves in the end: what lies at place j moves to place rank_of_virtual[(j + shift) mod procs]. Blocks that have to
 * move go round in cycles, one of each cycle being laid aside meanwhile; of a cycle the least place is its leader. shift < procs.
 * Needs the arrays.
 *
 * Whether j is the leader of its cycle, be it alone there. To ask it of all places takes O(procs log procs), and no memory. */
int numbering_cycle_leader(const struct numbering *numbering, uint32_t procs, uint32_t shift, uint32_t j);

static inline uint32_t numbering_moved_place(const struct numbering *numbering, uint32_t procs, uint32_t shift, uint32_t j)
{
    return numbering->rank_of_virtual[j >= procs - shift ? j - (procs - shift) : j + shift];
}

static inline uint32_t numbering_moved_from(const struct numbering *numbering, uint32_t procs, uint32_t shift, uint32_t place)
{
    uint32_t v = numbering->virtual_of_rank[place];
    return v >= shift ? v - shift : v + (procs - shift);
}

/* Copies of a block that these moves take: one for every block that moves and one more for every cycle. */
uint64_t numbering_moves(const struct numbering *numbering, uint32_t procs, uint32_t shift);

#endif
