/* Within partition/: mappings that look at the whole machine at once, where that is more than one level after the other. */
#ifndef SHMCOLL_PARTITION_MAPPING_WHOLE_H
#define SHMCOLL_PARTITION_MAPPING_WHOLE_H

#include "partition/mapping.h"

/* Places in the order of their groups, from outside in, and then their own: a group of any level is a run of them. */
void hierarchy_sort(const struct hierarchy *hierarchy, uint32_t *place);
/* By one partition onto the machine as a tree. 0; -ENOTSUP; or an error as of partition_make(). */
int mapping_onto_target(struct mapping *out, const struct partitioner *partitioner, const struct partition_problem *problem,
                        const struct hierarchy *hierarchy, char *reason, size_t reason_bytes);
/* Exchanges vertices between innermost groups as long as J falls. 0 or -ENOMEM. */
int mapping_refine(struct mapping *mapping, const struct graph *graph, const struct hierarchy *hierarchy);

#endif
