/* A scenario for tests of the simulator, with everything it borrows. */
#ifndef SHMCOLL_TESTS_SIM_CASE_H
#define SHMCOLL_TESTS_SIM_CASE_H

#include "model/scenario.h"

enum { SIM_CASE_RANKS = 64 };

struct sim_case {
    struct node node;
    uint32_t core_of_rank[SIM_CASE_RANKS];
    struct scenario scenario;
};

/* Two ranks on a contention-free node with these costs in picoseconds (t a byte). */
void sim_case_paper(struct sim_case *c, double t_ps, double t_w_ps, double t_wo_ps, double t_a_ps);
/* The paper's parameters: t = 1 ns, t_w = 50 ns, t_wo = 100 ns, t_A = 10 ns. */
void sim_case_paper_default(struct sim_case *c);
/* A node by name: nehalem-2x4, broadwell-2x8. */
void sim_case_preset(struct sim_case *c, const char *name);
void sim_case_destroy(struct sim_case *c);

/* Pipelined, flat tree, cold buffers, root 0. */
void sim_case_bcast(struct sim_case *c, uint32_t procs, uint64_t size_bytes, uint32_t fragment_bytes, uint32_t slots,
                    uint32_t sets);
void sim_case_tree(struct sim_case *c, const char *shape);

/* Simulates; the outcome is the caller's to destroy. Fails the test if the simulator does. */
void sim_case_evaluate(const struct sim_case *c, struct trace_sink *sink, struct outcome *out);
/* Its time_s in picoseconds. */
uint64_t sim_case_time_ps(const struct sim_case *c);

#endif
