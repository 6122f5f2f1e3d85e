#include "tests/sim/sim_case.h"

#include "tests/model/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/* One core copies at core_rate, all of a domain together at domain_rate. */
static void two_sockets(struct sim_case *c, uint32_t per_socket, double near_ns, double far_ns, double core_rate, double domain_rate)
{
    *c = (struct sim_case){0};
    struct node *n = &c->node;
    assert_int_equal(node_create(n, 2, 2 * per_socket), 0);
    n->sockets = 2;
    for (uint32_t core = 0; core < 2 * per_socket; core++)
        n->core_domain[core] = n->core_socket[core] = n->core_cache[core] = core / per_socket;
    n->line_bytes = 64;
    n->page_bytes = 4096;
    n->handover_ns[HANDOVER_SAME_CACHE] = quantity_of(near_ns, "test");
    n->handover_ns[HANDOVER_SAME_SOCKET] = quantity_of(near_ns, "test");
    n->handover_ns[HANDOVER_CROSS_SOCKET] = quantity_of(far_ns, "test");
    n->step_ns = quantity_of(5, "test");
    n->atomic_ns = quantity_of(10, "test");
    for (int i = 0; i < COPY_CLASS_COUNT; i++)
        n->copy[i].s_per_byte = quantity_of(1 / core_rate, "test");
    n->bandwidth_count = 2;
    n->bandwidth = calloc(2, sizeof *n->bandwidth);
    assert_non_null(n->bandwidth);
    n->bandwidth[0] = (struct bandwidth_point){1, quantity_of(core_rate, "test")};
    n->bandwidth[1] = (struct bandwidth_point){per_socket, quantity_of(domain_rate, "test")};
    n->remote_ratio = quantity_of(0.6, "test");
}

void sim_case_nehalem(struct sim_case *c)
{
    two_sockets(c, 4, 37, 74, 4.5e9, 11e9);
    c->node.llc_bytes = 12 << 20;
    c->node.link_bytes_per_s = quantity_of(11.7e9, "test");
}

void sim_case_broadwell(struct sim_case *c)
{
    two_sockets(c, 8, 39, 118, 6.3e9, 33e9);
    c->node.llc_bytes = 20 << 20;
    c->node.link_bytes_per_s = quantity_of(16e9, "test");
}

void sim_case_destroy(struct sim_case *c)
{
    node_destroy(&c->node);
}

void sim_case_bcast(struct sim_case *c, uint32_t procs, uint64_t size_bytes, uint32_t fragment_bytes, uint32_t slots, uint32_t sets)
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
