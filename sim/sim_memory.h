/* A node's memory and links as copies share them: which resources a side of a copy uses.
 *
 * A side that lies in memory loads the controller of its domain: a byte read counts one third of a copy, a byte written two
 * thirds, since its line is fetched before it is overwritten. Sides on different sockets load the link between them. */
#ifndef SHMCOLL_SIM_MEMORY_H
#define SHMCOLL_SIM_MEMORY_H

#include "model/node.h"
#include "sim/sim_bandwidth.h"

enum { SIM_LOAD_READ = 1, SIM_LOAD_WRITE = 2, SIM_LOAD_LINK = SIM_LOAD_UNIT };

struct sim_memory {
    const struct node *node;
    struct sim_bandwidth bandwidth;
    uint32_t sockets;
    uint32_t plain; /* resources for plain copies alone begin here, one a domain; 0: there are none */
};

/* Where one side of a copy lies. */
struct sim_side {
    uint32_t domain, socket;
    int write, in_memory;
};

/* flows and base_target as in sim_bandwidth.h. 0 or -ENOMEM. */
int sim_memory_create(struct sim_memory *memory, const struct node *node, uint32_t flows, uint32_t base_target);
void sim_memory_destroy(struct sim_memory *memory);

/* Memory next to a core, or on a domain if that is not negative. */
struct sim_side sim_memory_side(const struct sim_memory *memory, uint32_t core, int32_t domain, int write, int in_memory);
/* What a side loads when that core copies. Returns its share of the copy if it is on another domain, else 0. */
uint32_t sim_memory_use_side(const struct sim_memory *memory, struct sim_class *class, uint32_t core,
                             const struct sim_side *side);
/* A copy by that core between user memory and a queue (in or out): it goes slower beside its counterpart in the domain. */
void sim_memory_pair(const struct sim_memory *memory, struct sim_class *class, uint32_t core, int out, double beside);
/* A copy by that core that is no such half. */
void sim_memory_plain(const struct sim_memory *memory, struct sim_class *class, uint32_t core, uint32_t load);

#endif
