#include "tests/sim/sim_case.h"

#include "model/formats/presets.h"
#include "tests/model/cmocka_all.h"

#include <math.h>
#include <stdio.h>

void sim_case_paper(struct sim_case *c, double t_ps, double t_w_ps, double t_wo_ps, double t_a_ps)
{
    *c = (struct sim_case){0};
    assert_int_equal(node_create(&c->node, 1, SIM_CASE_RANKS), 0);
    c->node.contention_free = 1;
    c->node.paper = (struct paper_costs){.t_s_per_byte = quantity_of(t_ps * 1e-12, "test"),
                                         .t_w_s = quantity_of(t_w_ps * 1e-12, "test"),
                                         .t_wo_s = quantity_of(t_wo_ps * 1e-12, "test"),
                                         .t_a_s = quantity_of(t_a_ps * 1e-12, "test")};
}

void sim_case_paper_default(struct sim_case *c)
{
    sim_case_paper(c, 1000, 50000, 100000, 10000);
}

void sim_case_preset(struct sim_case *c, const char *name)
{
    *c = (struct sim_case){0};
    assert_int_equal(preset_create(name, &c->node), 0);
}

void sim_case_destroy(struct sim_case *c)
{
    node_destroy(&c->node);
}

void sim_case_bcast(struct sim_case *c, uint32_t procs, uint64_t size_bytes, uint32_t fragment_bytes, uint32_t slots,
                    uint32_t sets)
{
    assert_true(procs <= SIM_CASE_RANKS);
    assert_int_equal(placement_fill("compact", &c->node, procs, c->core_of_rank), 0);
    c->scenario = (struct scenario){
        .machine = {.node = &c->node, .nodes = 1},
        .placement = {.name = "compact", .core_of_rank = c->core_of_rank},
        .job = {.kind = JOB_BCAST, .procs = procs, .bcast = {.size_bytes = size_bytes}},
        .params = {.protocol = &protocol_pipelined, .fragment_bytes = fragment_bytes, .slots = slots, .sets = sets},
        .conditions = {.buffers = BUFFERS_COLD, .buffer_domain = -1, .reps = 1},
        .variant = "",
    };
}

void sim_case_tree(struct sim_case *c, const char *shape)
{
    assert_int_equal(tree_shape_parse(shape, &c->scenario.params.tree), 0);
}

void sim_case_evaluate(const struct sim_case *c, struct trace_sink *sink, struct outcome *out)
{
    outcome_init(out);
    int rc = evaluator_sim.evaluate(&c->scenario, sink, out);
    if (rc)
        print_error("%s\n", out->reason);
    assert_int_equal(rc, 0);
}

uint64_t sim_case_time_ps(const struct sim_case *c)
{
    struct outcome out;
    sim_case_evaluate(c, NULL, &out);
    uint64_t time_ps = (uint64_t)llround(out.time_s * 1e12);
    outcome_destroy(&out);
    return time_ps;
}
