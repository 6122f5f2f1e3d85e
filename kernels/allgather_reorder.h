/* The end of an Allgather whose numbering reorders: every block from the place of its virtual number to that of its rank. */
#ifndef SHMCOLL_KERNELS_ALLGATHER_REORDER_H
#define SHMCOLL_KERNELS_ALLGATHER_REORDER_H

#include "model/numbering.h"

/* Blocks go round in place, some KiB at a time beside them: nothing is allocated, and what is copied is block_bytes times
 * numbering_moves(). */
void allgather_reorder(char *receive, uint64_t block_bytes, uint32_t procs, const struct numbering *numbering);

#endif
