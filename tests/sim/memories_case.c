#include "memories_case.h"
#include "tests/model/cmocka_all.h"

#include <stdlib.h>

void memories_case_two_sockets(struct node *node)
{
    assert_int_equal(node_create(node, 2, 8), 0);
    node->sockets = 2;
    for (uint32_t c = 0; c < 8; c++)
        node->core_domain[c] = node->core_socket[c] = c / 4;
    node->bandwidth_count = 3;
    node->bandwidth = calloc(3, sizeof *node->bandwidth);
    for (uint32_t i = 0; i < 3; i++)
        node->bandwidth[i] = (struct bandwidth_point){i + 1, quantity_of((i + 2) * 1e9, "test")};
    node->link_bytes_per_s = quantity_of(1e9, "test");
}

uint32_t memories_case_copy_class(struct sim_memories *m, uint32_t core, int32_t from, int32_t to)
{
    struct sim_class class = {.bytes_per_s = 2e9, .beside = 1, .group = SIM_NO_GROUP, .rival = SIM_NO_GROUP};
    struct sim_side read = sim_memory_side(&m->shape, core, from, 0, 1), write = sim_memory_side(&m->shape, core, to, 1, 1);
    uint32_t id;
    sim_memory_use_side(&m->shape, &class, core, &read);
    sim_memory_use_side(&m->shape, &class, core, &write);
    sim_memory_use_whole(&m->shape, &class);
    assert_int_equal(sim_memories_class(m, &class, &id), 0);
    return id;
}

uint32_t memories_case_nic_class(struct sim_memories *m, double bytes_per_s, uint32_t domain)
{
    struct sim_class class = {.bytes_per_s = bytes_per_s, .beside = 1, .group = SIM_NO_GROUP, .rival = SIM_NO_GROUP};
    uint32_t id;
    sim_memory_use_nic(&m->shape, &class, domain);
    assert_int_equal(sim_memories_class(m, &class, &id), 0);
    return id;
}
