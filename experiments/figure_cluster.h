/* TopoMPI's cluster (S3): an Allgather of 64 ranks on 8 nodes of 8 cores, simulated in any numbering, and what finding the
 * numbering takes. */
#ifndef SHMCOLL_EXPERIMENTS_FIGURE_CLUSTER_H
#define SHMCOLL_EXPERIMENTS_FIGURE_CLUSTER_H

#include "experiments/figure.h"
#include "model/network.h"
#include "partition/mapping.h"

enum { CLUSTER_NODES = 8, CLUSTER_PPN = 8, CLUSTER_PROCS = CLUSTER_NODES * CLUSTER_PPN };

struct cluster {
    struct node node;
    struct network network;
    uint32_t core_of_rank[CLUSTER_PROCS];
};

/* 0, or an exit code after telling why. */
int cluster_create(struct cluster *out, const char *network);
void cluster_destroy(struct cluster *cluster);

struct cluster_answer {
    double time_s;
    uint64_t bytes_between;
};
/* `numbering` NULL: every rank plays its own number. 0, or an exit code after telling why. */
int cluster_simulate(const struct cluster *cluster, const struct schedule_algorithm *algorithm, const struct numbering *numbering,
                     uint64_t block_bytes, struct cluster_answer *out);

/* The sum of its rounds, by closed form. */
int cluster_model(const struct cluster *cluster, const struct schedule_algorithm *algorithm, const struct numbering *numbering,
                  uint64_t block_bytes, double *time_s);
/* One message from a rank to another, of the same node or of two. 0, or an exit code after telling why. */
int cluster_message(const struct cluster *cluster, int between, uint64_t bytes, double *time_s);

/* S3's method on this host, from the algorithm to its mapping in tables: graph, partition, both permutations. `time_s`, if not
 * NULL, is the median over repetitions, each of which does all of it. 0, or an exit code after telling why; mapping_destroy() the
 * mapping. */
int cluster_optimise(const struct schedule_algorithm *algorithm, const char *partitioner, uint64_t seed, struct mapping *out,
                     double *time_s);

/* What S3 draws, by range of sizes; `reported` is what is read off its axes. */
struct cluster_panel {
    const char *network, *range;
    uint64_t first_bytes, step_bytes;
    uint32_t steps;
    double low, high;
};
extern const struct cluster_panel cluster_panels[]; /* ends with a NULL network */

/* What S3 took to optimise, on average. 0: it does not say. */
double cluster_reported_optimisation_s(const struct schedule_algorithm *algorithm);

#endif
