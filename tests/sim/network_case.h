/* Networks for tests, and the simplest of schedules. What cannot be made fails the test. */
#ifndef SHMCOLL_TESTS_NETWORK_CASE_H
#define SHMCOLL_TESTS_NETWORK_CASE_H

#include "model/schedule.h"
#include "sim/sim_fabric.h"

/* As --network has it. */
struct network network_case_of(const char *text);
/* Links whose times are no round numbers. */
struct network network_case_shared(enum network_kind kind, uint32_t levels, uint32_t radix, double oversubscription);
struct sim_fabric network_case_fabric(const struct network *network, uint32_t nodes);

/* Of a schedule in which everybody does one thing. */
uint32_t network_case_one_round(const struct schedule *schedule);
uint32_t network_case_one_step(const struct schedule *schedule, uint32_t rank);

#endif
