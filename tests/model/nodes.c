#include "tests/model/nodes.h"

#include "tests/model/cmocka_all.h"

static void bed_begin(struct test_bed *bed, uint32_t procs)
{
    assert_true(procs <= TEST_BED_RANKS_MAX);
    assert_int_equal(node_create(&bed->node, 1, procs), 0);
    bed->procs = procs;
    assert_int_equal(placement_fill("compact", &bed->node, procs, bed->cores), 0);
}

struct scenario test_bed_again(const struct test_bed *bed, uint64_t size, uint32_t fragment, uint32_t slots, uint32_t sets)
{
    struct scenario s = {.machine = {.node = &bed->node, .nodes = 1}, .placement = {"compact", bed->cores}, .variant = ""};
    s.job = (struct job){.kind = JOB_BCAST, .procs = bed->procs, .bcast = {size, 0}};
    s.params = (struct params){&protocol_pipelined, fragment, slots, sets, {TREE_FLAT, 0}, 0};
    s.conditions.buffer_domain = -1;
    return s;
}

struct scenario test_bed_paper(struct test_bed *bed, uint32_t procs, uint64_t size, uint32_t fragment, uint32_t slots,
                               uint32_t sets)
{
    bed_begin(bed, procs);
    bed->node.contention_free = 1;
    bed->node.paper = (struct paper_costs){quantity_of(1e-9, "S1 Fig. 4"), quantity_of(50e-9, "S1 Fig. 4"),
                                           quantity_of(100e-9, "S1 Fig. 4"), quantity_of(10e-9, "S1 Fig. 4")};
    return test_bed_again(bed, size, fragment, slots, sets);
}

struct scenario test_bed_described(struct test_bed *bed, uint32_t procs, uint64_t size, uint32_t fragment, uint32_t slots,
                                   uint32_t sets)
{
    bed_begin(bed, procs);
    bed->node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(40, "assumed");
    bed->node.step_ns = quantity_of(2, "assumed");
    bed->node.store_ns = quantity_of(10, "assumed");
    bed->node.atomic_ns = quantity_of(5, "assumed");
    bed->node.copy[COPY_IN_COLD].s_per_byte = quantity_of(1e-10, "assumed");
    bed->node.copy[COPY_OUT_COLD].s_per_byte = quantity_of(1.2e-10, "assumed");
    return test_bed_again(bed, size, fragment, slots, sets);
}

void test_bed_destroy(struct test_bed *bed)
{
    node_destroy(&bed->node);
}
