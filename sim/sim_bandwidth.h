/* Bandwidth sharing: flows that slow each other down because they use the same resources.
 *
 * Flows of one class use the same resources and run alone at the same rate, so they always advance alike: a class
 * keeps one progress for all its flows, and only the flow that is next to end needs an event. A saturated
 * resource slows its flows alike, as longer latency slows cores with a fixed number of misses under way: speeds against
 * running alone are max-min fair. A change of the set of flows is settled once, before time goes on; classes whose
 * speed and next end stay are left alone.
 *
 * A flow is a number below `flows` given by the caller (a rank), at most one at a time each. Completion events carry
 * target = base_target + class and a generation; sim_bandwidth_end drops those that were replaced.
 *
 * What does not change while flows come and go is a plan, of which several may go by one: nodes that are alike. */
#ifndef SHMCOLL_SIM_BANDWIDTH_H
#define SHMCOLL_SIM_BANDWIDTH_H

#include "sim/sim_queue.h"

#include <stdint.h>

enum {
    SIM_LOAD_UNIT = 6,   /* the load of one whole copy */
    SIM_USES_MAX = 8,    /* resources of one class */
    SIM_SHARES_MAX = 16, /* classes that are kept with their speeds: two for each of eight domains */
    SIM_SHARES_KEPT = 256,
    SIM_NO_GROUP = UINT32_MAX
};

/* What n flows together get, in whole copies: bytes_per_s[n], the last entry beyond. */
struct sim_resource {
    double *bytes_per_s; /* [entries] */
    uint32_t entries;    /* >= 2 */
};

struct sim_use {
    uint32_t resource, load;
};

struct sim_class {
    double bytes_per_s;       /* of one flow alone */
    double beside;            /* speed against alone while the rival group has flows */
    uint32_t group, rival;    /* SIM_NO_GROUP: none */
    uint32_t uses;
    struct sim_use use[SIM_USES_MAX];
};

struct sim_flow {
    uint64_t end; /* in the progress of its class */
    uint32_t next, class_id;
};

struct sim_class_state {
    uint64_t progress; /* of every flow of the class: picoseconds alone, 16 binary places */
    uint64_t speed;    /* against alone, 32 binary places */
    uint64_t since_ps; /* progress was right then */
    uint32_t first, last; /* flows by their end */
    uint32_t count, generation, moved;
    double target; /* while speeds are found: the new one, negative if open */
};

/* A class whose next end is another than before. */
struct sim_ending {
    uint64_t time_ps;
    uint32_t class_id, generation;
};

/* So many flows of such classes, in that order, and how fast they go. */
struct sim_shares {
    uint32_t classes; /* 0: none */
    struct {
        uint32_t class_id, count;
    } of[SIM_SHARES_MAX];
    uint64_t speed[SIM_SHARES_MAX];
};

/* Resources and classes, and what is worked out with while speeds are found. */
struct sim_bandwidth_plan {
    struct sim_resource *resource;
    struct sim_class *class;
    uint32_t resources, classes, classes_max, groups;
    double *left, *demand;     /* [resources] not given yet and wanted by open flows */
    uint32_t *users;           /* [resources] flows whose rate is open; 0 between times */
    uint32_t *used, used_count; /* [resources] those with users, in their order */
    struct sim_ending *ending; /* [classes_max] */
    struct sim_shares *kept;   /* [SIM_SHARES_KEPT] found before: the same flows always go alike */
};

struct sim_bandwidth {
    struct sim_bandwidth_plan *plan;
    struct sim_class_state *state; /* [states] */
    uint32_t states;
    uint32_t active_count, dirty;
    uint32_t *active;      /* [active_count] classes with flows */
    uint32_t *group_count; /* [groups] active flows */
    struct sim_flow *flow; /* [flows] */
    uint32_t flows, base_target;
    int borrowed; /* the plan is another's */
};

/* Takes nothing over: resources are set by sim_bandwidth_resource. 0 or -ENOMEM. */
int sim_bandwidth_create(struct sim_bandwidth *b, uint32_t resources, uint32_t groups, uint32_t flows, uint32_t base_target);
/* By the plan of another, which is to stay. */
int sim_bandwidth_create_alike(struct sim_bandwidth *b, const struct sim_bandwidth *other, uint32_t flows);
void sim_bandwidth_destroy(struct sim_bandwidth *b);

/* Gives a resource its table, copied. 0 or -ENOMEM. */
int sim_bandwidth_resource(struct sim_bandwidth *b, uint32_t resource, const double *bytes_per_s, uint32_t entries);
/* Finds or adds a class; its number in *id. 0 or -ENOMEM. */
int sim_bandwidth_class(struct sim_bandwidth *b, const struct sim_class *wanted, uint32_t *id);

/* Room for flows of all classes that the plan has. 0 or -ENOMEM. */
int sim_bandwidth_states(struct sim_bandwidth *b);
/* Places for so many flows, no fewer than before. 0 or -ENOMEM. */
int sim_bandwidth_flows(struct sim_bandwidth *b, uint32_t flows);

/* Starts a flow that alone would take alone_ps. */
void sim_bandwidth_begin(struct sim_bandwidth *b, uint32_t flow, uint32_t class_id, uint64_t alone_ps, uint64_t now_ps);
/* After the last begin or end of an instant: new speeds, new completion events. 0 or -ENOMEM. */
int sim_bandwidth_settle(struct sim_bandwidth *b, struct sim_queue *queue, uint64_t now_ps);
/* The same for another queue: so many of plan->ending are to be put in, in that order. */
uint32_t sim_bandwidth_speeds(struct sim_bandwidth *b, uint64_t now_ps);
/* A completion event: the flow that has ended, UINT32_MAX if the event is stale or all that ended are told. Call until then. */
uint32_t sim_bandwidth_end(struct sim_bandwidth *b, uint32_t class_id, uint32_t generation, uint64_t now_ps);

#endif
