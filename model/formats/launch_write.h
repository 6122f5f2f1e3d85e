/* Where every rank runs, in the words of those who start programs:
 *
 *   rankfile  Open MPI, mpirun --rankfile: a line "rank R=HOST slot=CORE" each, cores counted as hwloc does
 *   mpich     MPICH, mpiexec -bind-to user:A,B,...: the system's cpu of each rank of a node. One list serves all nodes, and
 *             a node's ranks follow each other
 *   slurm     srun --cpu-bind=map_cpu:A,B,...: the system's cpu of each rank of a node, by rising rank. One list serves all
 *             nodes; which node a rank is on says `hostfile`
 *   hostfile  the host of each rank, a line each: SLURM_HOSTFILE with srun --distribution=arbitrary, Open MPI's --hostfile
 *             with --mca rmaps seq (names as the hosts have them, not localhost), MPICH's -f
 *
 * What a format cannot say is refused rather than written as something else. */
#ifndef SHMCOLL_MODEL_FORMATS_LAUNCH_WRITE_H
#define SHMCOLL_MODEL_FORMATS_LAUNCH_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All borrowed. */
struct launch {
    uint32_t ranks, nodes;
    const uint32_t *node_of_rank; /* [ranks] */
    const uint32_t *core_of_rank; /* [ranks] number of the core in its node */
    const uint32_t *core_os;      /* [core] the system's number of it, the same on all nodes */
    const char *const *host;      /* [nodes]; NULL: one node is localhost, and those of an Open MPI allocation are +n0, +n1 */
};

struct launch_format {
    const char *name, *summary;
    /* 0; -ENOTSUP with one line in `reason`, nothing being written; -EIO; -ENOMEM. */
    int (*write)(FILE *out, const struct launch *launch, char *reason, size_t reason_bytes);
};

/* All formats; ends with a NULL name. */
extern const struct launch_format launch_format_table[];
/* NULL if there is none of that name. */
const struct launch_format *launch_format_find(const char *name);

#endif
