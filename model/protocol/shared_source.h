/* The broadcast from a shared source: single_copy for user buffers that were allocated from the segment (comm_area).
 *
 *   root    O offer; per reader: WE wait ended[reader] = n + 1; E
 *   reader  WP wait for the root's offer n + 1; per fragment: C root's buffer -> own; E ended[self] = n + 1
 *
 * Readers copy with plain loads, so there is no system call and no lock of the root's pages to queue for, and nobody
 * waits for his turn: readers_most does not matter. That is a promise of the user's, not of the program: the offer says where
 * the buffer really lies, and one that is private to the root is read through the kernel, as by single_copy, and right as well;
 * where the kernel forbids that, the communicator tells readers and root to go through the queue before each call (comm.h).
 *
 * Peers: XPMEM in Open MPI (xhc, vader) and MPI_Win_allocate_shared make buffers loadable so; here without a kernel module.
 *
 * Releases and acquires pair as in single_copy. */
#ifndef SHMCOLL_MODEL_PROTOCOL_SHARED_SOURCE_H
#define SHMCOLL_MODEL_PROTOCOL_SHARED_SOURCE_H

#include "model/protocol/single_copy.h"

static inline void shared_source_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    single_copy_start(c, call, op);
}

static inline void shared_source_next(struct cursor *c, uint32_t seen, struct step *out)
{
    single_copy_step(c, seen, out, 0);
}

static inline uint32_t shared_source_word_initial(uint32_t word, uint32_t op)
{
    return single_copy_word_initial(word, op);
}

#endif
