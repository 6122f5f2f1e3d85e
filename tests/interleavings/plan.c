#include "tests/interleavings/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { STATES_MAX = 20000000 };

static int verbose;

void plan_verbose(int on)
{
    verbose = on;
}

int plan_run(const struct plan *plan, const struct protocol *protocol, const char *tree_name, uint32_t stops_max,
             struct explorer_result *out)
{
    struct tree_shape shape;
    struct tree tree;
    struct toy_case c = plan->c;
    assert_int_equal(tree_shape_parse(tree_name, &shape), 0);
    assert_int_equal(tree_create_placed(shape, c.procs, c.domain, 0, &tree), 0);
    c.tree = &tree;
    c.protocol = protocol;
    struct explorer_options options = {.stops_max = stops_max, .states_max = STATES_MAX};
    int err = explorer_run(&c, &options, out);
    tree_destroy(&tree);
    return err;
}

void plan_print_header(void)
{
    printf("%-20s %-22s %-8s %2s %2s %2s %2s %5s %10s %11s %6s %6s  %s\n", "protocol", "case", "tree", "p", "s", "q", "l",
           "calls", "states", "transitions", "depth", "early", "result");
}

void plan_print_row(const char *protocol, const char *tree, const struct toy_case *c, const struct explorer_result *r)
{
    printf("%-20s %-22s %-8s %2u %2u %2u %2u %5u %10llu %11llu %6llu %6llu  %s\n", protocol, c->name, tree, c->procs, c->slots,
           c->sets, c->lines, c->calls, (unsigned long long)r->found.states, (unsigned long long)r->found.transitions,
           (unsigned long long)r->found.depth, (unsigned long long)r->early_opens, toy_violation_string(r->found.violation));
}

/* The case holds; returns how many transitions passed WO early. */
uint64_t plan_holds(const struct plan *plan, const struct protocol *protocol, uint32_t stops_max)
{
    struct explorer_result r;
    assert_int_equal(plan_run(plan, protocol, plan->tree, stops_max, &r), 0);
    plan_print_row(protocol->name, plan->tree, &plan->c, &r);
    if (r.found.violation)
        printf("    %s\n", r.found.history);
    assert_int_equal(r.found.violation, TOY_OK);
    assert_true(r.found.ends >= 1);
    return r.early_opens;
}

/* Totals of many small runs, printed as one row. */
struct total {
    uint64_t runs, states, transitions, early_opens;
};

static void total_add(struct total *total, const struct plan *plan, const struct protocol *protocol)
{
    struct explorer_result r;
    assert_int_equal(plan_run(plan, protocol, plan->tree, 0, &r), 0);
    if (r.found.violation) {
        plan_print_row(protocol->name, plan->tree, &plan->c, &r);
        printf("    %s\n", r.found.history);
    }
    assert_int_equal(r.found.violation, TOY_OK);
    total->runs++;
    total->states += r.found.states;
    total->transitions += r.found.transitions;
    total->early_opens += r.early_opens;
}

/* The digits of `number` as roots and sizes of three calls: every combination, once. */
static int plan_from_number(struct plan *plan, uint32_t number, const uint32_t *sizes, uint32_t size_count)
{
    for (uint32_t i = 0; i < 3; i++) {
        plan->c.root[i] = number % plan->c.procs;
        number /= plan->c.procs;
        plan->c.size_bytes[i] = sizes[number % size_count];
        number /= size_count;
    }
    plan->c.calls = 3;
    return number == 0;
}

void plan_product_holds(const struct plan *base, const struct protocol *protocol)
{
    static const uint32_t sizes[] = {1, 4, 7};
    struct plan plan = *base;
    struct total total = {0};
    for (uint32_t number = 0; plan_from_number(&plan, number, sizes, COUNT(sizes)); number++)
        total_add(&total, &plan, protocol);
    printf("%-20s %-22s %-8s s=%u q=%u op=%-10u runs %5llu states %9llu transitions %9llu early %llu\n", protocol->name,
           plan.c.name, plan.tree, plan.c.slots, plan.c.sets, plan.c.op_start, (unsigned long long)total.runs,
           (unsigned long long)total.states, (unsigned long long)total.transitions, (unsigned long long)total.early_opens);
    assert_int_equal(total.runs, plan.c.procs == 3 ? 729 : 216);
}

/* Runs the mutant over the plans until one shows the bug; prints that, or the plan explored last. */
static int mutant_caught(const struct mutant *mutant, const struct plan *plans, size_t count)
{
    struct explorer_result r = {0};
    size_t i = 0;
    for (; i < count && !r.found.violation; i++)
        assert_int_equal(plan_run(&plans[i], &mutant->protocol, mutant->tree, 0, &r), 0);
    plan_print_row(mutant->protocol.name, mutant->tree, &plans[i - 1].c, &r);
    if (verbose)
        printf("    %s\n", r.found.history);
    return r.found.violation != TOY_OK;
}

void mutants_are_caught(const struct mutant *mutants, unsigned mutant_count, const struct plan *plans, size_t plan_count)
{
    unsigned wrong = 0;
    plan_print_header();
    for (unsigned i = 0; i < mutant_count; i++)
        wrong += mutant_caught(&mutants[i], plans, plan_count) == mutants[i].harmless;
    assert_int_equal(wrong, 0);
}
