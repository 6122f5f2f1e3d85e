/* shmcoll map: what its parts share. */
#ifndef SHMCOLL_EXPERIMENTS_MAP_H
#define SHMCOLL_EXPERIMENTS_MAP_H

#include "experiments/options.h"
#include "model/network.h"
#include "model/node.h"
#include "model/traffic.h"
#include "partition/hierarchy.h"
#include "partition/mapping.h"

#include <stdio.h>
#include <string.h>

/* What is mapped: the graph of an algorithm, in blocks, or of an application, in bytes. */
struct map_work {
    struct graph graph;
    struct schedule schedule; /* if is_schedule */
    int is_schedule;
    uint32_t procs;
};

/* Where to: places 0..procs-1, part after part, those of a part on cores of a node. */
struct map_machine {
    struct node node;       /* if settings->node */
    struct network network; /* if settings->network */
    uint32_t parts;
    uint32_t node_level; /* which of the hierarchy's is that of nodes; of a single node what parts its cores first */
    uint32_t *sizes;        /* [parts] */
    uint32_t *part, *core;  /* [procs] of every place */
    struct hierarchy hierarchy;
    const char *distance;   /* "time" or "levels" */
};

/* Of how many ranks it is; of an algorithm without its graph. 0, or an exit code after telling why. */
int map_work_create(const struct settings *settings, uint32_t procs, struct map_work *out);
/* The graph of an algorithm, which may look at who is near whom. 0, or an exit code after telling why. */
int map_work_place(const struct settings *settings, const struct map_machine *machine, struct map_work *work);
void map_work_destroy(struct map_work *work);
/* `name` is what messages call it. */
int map_graph_of_traffic(const char *name, const struct traffic *traffic, struct graph *out);

/* Parts are made as settings say and distances set. 0, or an exit code after telling why. */
int map_machine_create(const struct settings *settings, uint32_t procs, struct map_machine *out);
void map_machine_destroy(struct map_machine *machine);

static inline int map_to_standard_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* -o: pi, or what --to names; --dot. 0, or an exit code after telling why. */
int map_write(const struct settings *settings, const struct map_machine *machine, struct mapping *mapping);
int map_write_dot(const char *path, const struct graph *graph, const struct map_machine *machine, const struct mapping *mapping);

#endif
