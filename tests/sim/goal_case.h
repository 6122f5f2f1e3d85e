/* GOAL programs for tests: schedules by way of their text, and random ones that cannot deadlock. */
#ifndef SHMCOLL_TESTS_SIM_GOAL_CASE_H
#define SHMCOLL_TESTS_SIM_GOAL_CASE_H

#include "model/goal_program.h"
#include "model/schedule.h"

/* Written as GOAL and read again. */
void goal_case_schedule(const struct schedule *schedule, uint64_t size_bytes, struct goal_program *out);
void goal_case_text(const char *text, struct goal_program *out);
/* Written as GOAL; to be freed. */
char *goal_case_format(const struct goal_program *program, size_t *bytes);

enum goal_case_kind {
    GOAL_CASE_TAGS,    /* every message has a tag of its own */
    GOAL_CASE_ORDERED, /* one tag for all: sends of a rank one after the other, receives too */
    GOAL_CASE_ANY,     /* the same, receives from any rank and of any tag */
};

/* Tasks come in an order in which each could run: a receive after its send, and what is required before who requires it.
 * Ranks have one or two NICs. */
void goal_case_random(uint64_t seed, enum goal_case_kind kind, uint32_t nics, struct goal_program *out);

#endif
