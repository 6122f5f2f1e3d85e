/* Copy routines: a table of named ways to move bytes, and which one suits.
 *
 * The cache decides, not the length of one fragment: a copy to memory nobody reads soon is
 * faster past the cache, a copy into a queue must stay in it. All routines take any
 * alignment and length; source and target must not overlap. Any thread may call them. */
#ifndef SHMCOLL_KERNELS_COPY_H
#define SHMCOLL_KERNELS_COPY_H

#include <stddef.h>
#include <stdint.h>

enum copy_routine {
    COPY_MEMCPY,      /* the C library's */
    COPY_NONTEMPORAL, /* aligned stores past the cache */
    COPY_ROUTINE_COUNT
};

/* Copies n bytes. What was read has been read when it returns, so that its source may be given away; what a
 * non-temporal copy wrote is ordered before later stores only by copy_fence, which waits for memory: once a call. */
void copy_bytes(enum copy_routine routine, void *to, const void *from, size_t n);
void copy_fence(enum copy_routine routine);

/* Whether this cpu has the routine; COPY_NONTEMPORAL falls back to memcpy where it has not. */
int copy_routine_available(enum copy_routine routine);
const char *copy_routine_name(enum copy_routine routine);

/* The routine for copying out into user memory: past the cache if what a node's ranks touch in
 * one call (working_set_bytes each, `sharers` of them in one cache) exceeds half that cache. */
enum copy_routine copy_routine_choose(uint64_t working_set_bytes, uint64_t llc_bytes, uint32_t sharers);

#endif
