/* Broadcasts down a tree, the whole message at each edge, as MPI libraries have them: each rank receives once and then sends to
 * its children, one after the other. Ranks count from the root.
 *
 *   linear         the root sends to everyone
 *   chains         four chains of about equal length, ranks of one behind each other
 *   binary         level by level: of the 2^l ranks of a level l, u has the children u + 2^l and u + 2^(l+1)
 *   binomial_near  u's children are u + 2^j for all 2^j > u, the nearest first
 *
 * That is what Open MPI 4.1 calls linear, chain (of its usual fan-out), binary tree and binomial, without segments. They are not
 * among schedule_table: with as many rounds as ranks, linear is none for very many. */
#ifndef SHMCOLL_MODEL_SCHEDULE_TREES_H
#define SHMCOLL_MODEL_SCHEDULE_TREES_H

#include "model/schedule.h"

extern const struct schedule_algorithm schedule_linear;
extern const struct schedule_algorithm schedule_chains;
extern const struct schedule_algorithm schedule_binary;
extern const struct schedule_algorithm schedule_binomial_near;

/* These, NULL-terminated. */
extern const struct schedule_algorithm *const schedule_trees[];

/* Whether a broadcast is one down which each rank but the root receives once, before it sends. */
int schedule_is_tree(const struct schedule *schedule);

#endif
