#include "sim/sim_cluster_traffic.h"

#include <stdlib.h>

int sim_traffic_create(struct sim_traffic *t, enum sim_order order, int journeys)
{
    *t = (struct sim_traffic){.order = order, .journeys = journeys};
    t->spare = t->first = t->last = SIM_TRAFFIC_NONE;
    sim_radix_create(&t->radix);
    return order == SIM_ORDER_HEAP ? sim_queue_create(&t->heap, 64) : 0;
}

void sim_traffic_destroy(struct sim_traffic *t)
{
    free(t->parcel);
    free(t->journey);
    sim_queue_destroy(&t->heap);
    sim_radix_destroy(&t->radix);
}

int sim_traffic_grow(struct sim_traffic *t)
{
    uint32_t capacity = t->capacity ? 2 * t->capacity : 64;
    struct sim_parcel *parcel = capacity > t->capacity ? realloc(t->parcel, capacity * sizeof *parcel) : NULL;
    if (!parcel)
        return -ENOMEM;
    t->parcel = parcel;
    sim_radix_target_at(&t->radix, parcel, sizeof *parcel);
    struct sim_journey *journey = t->journeys ? realloc(t->journey, capacity * sizeof *journey) : NULL;
    if (t->journeys && !journey)
        return -ENOMEM;
    t->journey = journey;
    t->capacity = capacity;
    return 0;
}
