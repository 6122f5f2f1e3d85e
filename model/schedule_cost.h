/* The time of an Allgather by a schedule: round after round, each as long as its slowest rank.
 *
 * In a round a rank's core copies what it sends into its partner's queue and then copies out what has come from the other: an
 * exchange ends when both cores have sent, the line has travelled, and the receiver has copied (message_cost.h). Ranks on one
 * core take turns. As all do the same at the same time, neither half is shorter than what the domains' memory and the links
 * between sockets need for all that is copied in it; there a byte read counts a third of a copy, a byte written two, and what a
 * cache holds nothing.
 *
 * Every block lies at its number from the moment it comes, so nothing is rotated; what lies in two pieces for that counts as one.
 *
 * What is sent is what came last, or the own block: it is in the rank's cache if its share of the last-level cache holds it. */
#ifndef SHMCOLL_MODEL_SCHEDULE_COST_H
#define SHMCOLL_MODEL_SCHEDULE_COST_H

#include "model/message_cost.h"
#include "model/schedule.h"

#include <stddef.h>

enum { SCHEDULE_COST_PROCS_MAX = 4096 };

/* What is asked; everything pointed to is borrowed. */
struct schedule_question {
    const struct node *node;
    const uint32_t *core_of_rank; /* [procs] */
    const struct schedule *schedule;
    const struct numbering *numbering;
    uint64_t block_bytes;
    struct message_way way;
    int cold;     /* the user's buffers are in no cache when it begins */
    int in_place; /* the own block is where it belongs */
};

struct schedule_answer {
    double time_s;
    double copy_s;    /* cores' work, summed over ranks */
    double latency_s; /* lines on their way, along the slowest of each round */
    double limit_s;   /* of time_s: what rounds took longer since memory or links had no more to give */
};

/* 0, or with one line in `reason`: -EINVAL for what is no Allgather, or a way that makes no sense; -ENOTSUP if the node lacks a
 * cost or there are more than SCHEDULE_COST_PROCS_MAX ranks; -ENOMEM. O(procs * rounds) time, O(procs * domains) memory. */
int schedule_cost(const struct schedule_question *question, struct schedule_answer *out, char *reason, size_t reason_bytes);

#endif
