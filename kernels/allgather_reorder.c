#include "kernels/allgather_reorder.h"

#include <stddef.h>
#include <string.h>

enum { ASIDE_BYTES = 8192 };

/* Some bytes of every block of a cycle: the last place is filled from the one before it, and so on, and its leader from aside. */
static void cycle_turn(char *at, uint64_t block_bytes, size_t bytes, const struct numbering *numbering, uint32_t procs,
                       uint32_t leader)
{
    char aside[ASIDE_BYTES];
    uint32_t hole = leader, from = numbering_moved_from(numbering, procs, 0, leader);
    memcpy(aside, at + leader * block_bytes, bytes);
    for (; from != leader; hole = from, from = numbering_moved_from(numbering, procs, 0, from))
        memcpy(at + hole * block_bytes, at + from * block_bytes, bytes);
    memcpy(at + hole * block_bytes, aside, bytes);
}

void allgather_reorder(char *receive, uint64_t block_bytes, uint32_t procs, const struct numbering *numbering)
{
    for (uint32_t j = 0; j < procs; j++) {
        if (numbering_moved_place(numbering, procs, 0, j) == j || !numbering_cycle_leader(numbering, procs, 0, j))
            continue;
        for (uint64_t done = 0; done < block_bytes; done += ASIDE_BYTES) {
            uint64_t left = block_bytes - done;
            cycle_turn(receive + done, block_bytes, left < ASIDE_BYTES ? left : ASIDE_BYTES, numbering, procs, j);
        }
    }
}
