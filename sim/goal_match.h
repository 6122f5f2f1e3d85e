/* Who gets which message: the receives posted and the messages come, as lists of each rank.
 *
 * A list holds tasks in order, linked through one array, since a task is in one list at a time at most. */
#ifndef SHMCOLL_SIM_GOAL_MATCH_H
#define SHMCOLL_SIM_GOAL_MATCH_H

#include "model/goal_program.h"

#include <stddef.h>

struct goal_list {
    uint32_t head, tail; /* GOAL_ANY: empty */
};

struct goal_match {
    const struct goal_program *program;
    const uint32_t *rank_of; /* [tasks] */
    struct goal_list *posted, *come; /* [ranks] */
    uint32_t *next;                  /* [tasks] */
};

/* 0 or -ENOMEM. Both arguments are borrowed. */
int goal_match_create(struct goal_match *match, const struct goal_program *program, const uint32_t *rank_of);
void goal_match_destroy(struct goal_match *match);
/* A message has come: takes the receive that gets it off the list, or puts the message on one and returns GOAL_ANY. */
uint32_t goal_match_message(struct goal_match *match, uint32_t send);
/* A receive is posted: the send of its message, or GOAL_ANY. */
uint32_t goal_match_receive(struct goal_match *match, uint32_t receive);
/* One line: the first few ranks that have posted a receive for which nothing came, and from whom. */
void goal_match_tell(const struct goal_match *match, char *reason, size_t reason_bytes);

#endif
