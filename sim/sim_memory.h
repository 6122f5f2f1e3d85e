/* A node's memory and links as copies share them: which resources a side of a copy uses.
 *
 * A side that lies in memory loads the controller of its domain: a byte read counts one third of a copy, a byte written two
 * thirds, since its line is fetched before it is overwritten. Sides on different sockets load the link between them. Where the
 * node says what copies into a queue and out of it cost beside each other, controllers speak from the third on, and two of a kind
 * share what two whole copies get: by half of one for each side in memory, since a core waits for lines, whatever it does with
 * them. */
#ifndef SHMCOLL_SIM_MEMORY_H
#define SHMCOLL_SIM_MEMORY_H

#include "model/node.h"
#include "sim/sim_bandwidth.h"

/* Kinds of copies: into a queue and out of one, of which a node may know what they cost beside each other; and others. */
enum { SIM_KIND_IN, SIM_KIND_OUT, SIM_KIND_PLAIN, SIM_KINDS };

enum { SIM_LOAD_READ = SIM_LOAD_UNIT / 3, SIM_LOAD_WRITE = 2 * SIM_LOAD_READ, SIM_LOAD_LINK = SIM_LOAD_UNIT };

struct sim_memory {
    const struct node *node;
    struct sim_bandwidth bandwidth;
    uint32_t sockets;
    uint32_t alike; /* resources for copies of one kind begin here, SIM_KINDS a domain; 0: there are none */
    uint32_t whole; /* and those that cores share with NICs, one a domain; 0: there are none */
};

/* Where one side of a copy lies. */
struct sim_side {
    uint32_t domain, socket;
    int write, in_memory;
};

/* flows and base_target as in sim_bandwidth.h. 0 or -ENOMEM. */
int sim_memory_create(struct sim_memory *memory, const struct node *node, uint32_t flows, uint32_t base_target);
/* The same with NICs at it. B(n) is what n cores get, each of which waits for so many lines at most. A NIC does not: together
 * with the cores it gets what any number of these gets at most. */
int sim_memory_create_for_nics(struct sim_memory *memory, const struct node *node, uint32_t flows, uint32_t base_target);
void sim_memory_destroy(struct sim_memory *memory);

/* Memory next to a core, or on a domain if that is not negative. */
struct sim_side sim_memory_side(const struct sim_memory *memory, uint32_t core, int32_t domain, int write, int in_memory);
/* What a side loads when that core copies. Returns its share of the copy if it is on another domain, else 0. */
uint32_t sim_memory_use_side(const struct sim_memory *memory, struct sim_class *class, uint32_t core,
                             const struct sim_side *side);
/* A copy of that kind by that core, with so many sides in the user's memory, beside others of its kind; an in or an out goes
 * slower beside the other. */
void sim_memory_use_kind(const struct sim_memory *memory, struct sim_class *class, uint32_t core, int kind, uint32_t sides,
                         double beside);
/* Where there are NICs: what a copy by a core loads with them, once all its sides are known; what a NIC that reads or writes
 * loads. A byte counts a third of a copy either way, since what a NIC writes is not fetched before. */
void sim_memory_use_whole(const struct sim_memory *memory, struct sim_class *class);
void sim_memory_use_nic(const struct sim_memory *memory, struct sim_class *class, uint32_t domain);

#endif
