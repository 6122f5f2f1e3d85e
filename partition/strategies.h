/* Within partition/: the strategies of the table, one or a few a file. */
#ifndef SHMCOLL_PARTITION_STRATEGIES_H
#define SHMCOLL_PARTITION_STRATEGIES_H

#include "partition/partitioner.h"

extern const struct partitioner partitioner_block;
extern const struct partitioner partitioner_cyclic;
extern const struct partitioner partitioner_strided;
extern const struct partitioner partitioner_closed;
extern const struct partitioner partitioner_metis_kway;
extern const struct partitioner partitioner_metis_rb;
extern const struct partitioner partitioner_scotch;
extern const struct partitioner partitioner_auto;

/* Other libraries end the process, crash or print where they get no memory: they are asked only while there is several times what
 * the graph takes that is given to them. 0 or -ENOMEM. */
int partition_room(size_t graph_bytes);
/* A table to be filled. 0 or -ENOMEM. */
int partition_allocate(const struct partition_problem *problem, struct partition *out);

#endif
