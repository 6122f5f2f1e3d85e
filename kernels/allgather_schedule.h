/* An allgather by schedule (model/schedule.h), its blocks as messages between endpoints.
 *
 * Every block lies where it belongs from the moment it comes, so nothing is rotated in the end: blocks of a step that do not lie
 * in one piece there are messages of their own, and both ends cut them alike. A step's messages go together, both ways;
 * the next step begins when they have arrived. Nothing is stored for a step, and nothing allocated.
 *
 * A numbering that exchanges or reorders (model/numbering.h) lets blocks of consecutive virtual numbers lie in one piece, so that
 * a step has as few messages as without numbering. */
#ifndef SHMCOLL_KERNELS_ALLGATHER_SCHEDULE_H
#define SHMCOLL_KERNELS_ALLGATHER_SCHEDULE_H

#include "kernels/channels/endpoint.h"
#include "model/schedule.h"

/* The call's own messages have tags from here on: others keep below. */
#define ALLGATHER_SCHEDULE_TAG 0x80000000u

/* Collective, in the same order on all ranks; messages of other tags may be under way meanwhile.
 *   send       the own block; NULL, or where it belongs in `receive`: it is there already. May differ between ranks
 *   receive    receive[r * block_bytes] = the block of rank r in the end
 *   schedule   of an Allgather among as many ranks as there are endpoints; the same on all ranks, as are block_bytes and
 *   numbering  sound by numbering_check(); NULL: the identity. Of one that exchanges, its neighbours are enough
 * 0; -EINVAL (nothing done) for what makes no sense; -EPROTO, everywhere, where ranks disagree on block_bytes; else an error of
 * the endpoint, which a message's error becomes: the others wait for what would have followed. */
int allgather_schedule_run(struct endpoint *e, const void *send, void *receive, uint64_t block_bytes,
                           const struct schedule *schedule, const struct numbering *numbering);

#endif
