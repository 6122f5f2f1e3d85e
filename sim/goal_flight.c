#include "sim/goal_flight.h"
#include "sim/sim_network.h"

#include <errno.h>
#include <stdlib.h>

int goal_flight_create(struct goal_flight *out, struct sim_fabric *fabric, struct trace_sink *sink, const struct loggp *loggp,
                       uint32_t ppn, uint32_t tasks)
{
    *out = (struct goal_flight){.fabric = fabric, .sink = sink, .loggp = loggp, .ppn = ppn};
    sim_pool_create(&out->messages, sizeof(struct goal_flight_message));
    if (!fabric)
        return 0;
    sim_fabric_reset(fabric);
    out->last_ps = calloc((size_t)tasks + 1, sizeof *out->last_ps);
    return out->last_ps ? 0 : -ENOMEM;
}

void goal_flight_destroy(struct goal_flight *flight)
{
    sim_pool_destroy(&flight->messages);
    free(flight->last_ps);
    *flight = (struct goal_flight){0};
}

uint32_t goal_flight_begin(struct goal_flight *flight, uint32_t send, uint32_t from, uint32_t to, uint64_t bytes, uint64_t at_ps)
{
    uint32_t place = sim_pool_take(&flight->messages);
    if (place == SIM_POOL_NONE)
        return place;
    struct goal_flight_message *m = sim_pool_at(&flight->messages, place);
    *m = (struct goal_flight_message){.send = send, .from = from, .to = to};
    flight->last_ps[send] = UINT64_MAX;
    sim_fabric_send(flight->fabric, from / flight->ppn, to / flight->ppn, bytes, at_ps, &m->at);
    return place;
}

int goal_flight_cross(struct goal_flight *flight, uint32_t place, struct sim_fabric_crossing *crossing)
{
    struct goal_flight_message *m = sim_pool_at(&flight->messages, place);
    struct sim_network_watch watch = {flight->sink, flight->loggp, flight->ppn, 1};
    flight->fabric->last = crossing;
    int more = sim_fabric_cross(flight->fabric, &m->at);
    flight->fabric->last = NULL;
    if (flight->sink)
        sim_network_observer(&watch).crossing(&watch, m->from, m->to, m->at.bytes, crossing);
    return more;
}

void goal_flight_end(struct goal_flight *flight, uint32_t place)
{
    const struct goal_flight_message *m = sim_pool_at(&flight->messages, place);
    flight->last_ps[m->send] = m->at.last_ps;
    sim_pool_release(&flight->messages, place);
}
