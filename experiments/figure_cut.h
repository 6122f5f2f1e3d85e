/* Cut against time: numberings of an Allgather on TopoMPI's cluster, what each sends and copies, and what it takes. */
#ifndef SHMCOLL_EXPERIMENTS_FIGURE_CUT_H
#define SHMCOLL_EXPERIMENTS_FIGURE_CUT_H

#include "experiments/figure_cluster.h"

enum { CUT_POINTS_MOST = 64, CUT_BLOCK_BYTES = 512 << 10 /* of the figure, and the report */ };

/* In blocks. */
struct cut_point {
    char mapping[24], remap[12];
    uint64_t cut;     /* between nodes, by the algorithm: what a partitioner makes least */
    uint64_t between; /* the same with the exchange beforehand */
    uint64_t busiest; /* of a node, into and out of it */
    uint64_t rounds;  /* over rounds, of the most that goes into or out of a node in that round */
    uint64_t copies;  /* of the node with most: by its cores, of messages within it and of what ranks move in the end */
    uint64_t bus;     /* of the node with most: those of these messages that pass a bus between caches */
    double estimate_s; /* rounds over a node's link, and copies at the speed that all cores of a node have together, one after the
                          other */
    double model_s;    /* the sum of its rounds (network_rounds.h) */
    double time_s;
    uint64_t sent_bytes; /* between nodes, as simulated */
};

struct cut_points {
    struct cut_point point[CUT_POINTS_MOST];
    size_t count;
};

/* Every mapping, exchanged and reordered, and the algorithm in its own numbering. 0, or an exit code after telling why. */
int cut_points_make(const struct cluster *cluster, const struct schedule_algorithm *algorithm, uint64_t block_bytes,
                    uint64_t seed, struct cut_points *out);
/* NULL: there is none. */
const struct cut_point *cut_point_find(const struct cut_points *points, const char *mapping, const char *remap);

/* What may say how long it takes, from what is sent and copied. */
struct cut_measure {
    const char *name;
    double (*of)(const struct cut_point *point);
};
extern const struct cut_measure cut_measures[]; /* ends with a NULL name */
/* By the name of one of these. Kendall's tau of that and the time, over all points. */
double cut_points_tau(const struct cut_points *points, const char *measure);
/* Pairs of points of which that with the smaller one takes longer, as a share of all pairs that differ in both. */
double cut_points_inverted(const struct cut_points *points, const char *measure);

#endif
