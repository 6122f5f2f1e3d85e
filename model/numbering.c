#include "model/numbering.h"

#include <errno.h>

int numbering_check(const struct numbering *numbering, uint32_t procs)
{
    for (uint32_t rank = 0; rank < procs; rank++) {
        uint32_t v = numbering_virtual(numbering, rank);
        /* Every rank comes back from a number of its own, so no number is taken twice. */
        if (v >= procs || numbering_rank(numbering, v) != rank)
            return -EINVAL;
    }
    return 0;
}

const char *numbering_remap_name(enum numbering_remap remap)
{
    return remap == NUMBERING_EXCH ? "exch" : remap == NUMBERING_REORDER ? "reorder" : "placed";
}

uint32_t numbering_neighbour_rank(const struct numbering_neighbours *n, uint32_t virtual_rank)
{
    for (uint32_t i = 0; i < n->count; i++)
        if (n->virtual_of[i] == virtual_rank)
            return n->rank_of[i];
    return UINT32_MAX;
}

/* Both ways round at once: whichever finds a lesser place first ends the search, so that no order of places is slow. */
int numbering_cycle_leader(const struct numbering *numbering, uint32_t procs, uint32_t shift, uint32_t j)
{
    uint32_t ahead = numbering_moved_place(numbering, procs, shift, j);
    uint32_t behind = numbering_moved_from(numbering, procs, shift, j);
    while (ahead > j && behind > j) {
        ahead = numbering_moved_place(numbering, procs, shift, ahead);
        behind = numbering_moved_from(numbering, procs, shift, behind);
    }
    return ahead == j || behind == j;
}

uint64_t numbering_moves(const struct numbering *numbering, uint32_t procs, uint32_t shift)
{
    uint64_t moves = 0;
    for (uint32_t j = 0; j < procs; j++) {
        int moved = numbering_moved_place(numbering, procs, shift, j) != j;
        moves += (uint64_t)moved + (moved && numbering_cycle_leader(numbering, procs, shift, j));
    }
    return moves;
}
