/* Nodes whose memories are shared, for tests, and flows through them. What cannot be made fails the test. */
#ifndef SHMCOLL_TESTS_MEMORIES_CASE_H
#define SHMCOLL_TESTS_MEMORIES_CASE_H

#include "sim/sim_memories.h"

/* Two sockets, a domain each; a core alone copies 2 GB/s, B(n) 2, 3, 4, 4 GB/s; 1 GB/s between sockets. */
void memories_case_two_sockets(struct node *node);
/* A copy by core 0 or 4 at 2 GB/s, whose sides lie on these domains. */
uint32_t memories_case_copy_class(struct sim_memories *m, uint32_t core, int32_t from, int32_t to);
uint32_t memories_case_nic_class(struct sim_memories *m, double bytes_per_s, uint32_t domain);

#endif
