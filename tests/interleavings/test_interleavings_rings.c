/* The protocols that follow other MPI libraries, under all interleavings of small cases, and mutants of them.
 *
 * `test_interleavings_rings stress` runs the larger cases too, `verbose` prints how each mutant goes wrong. */
#include "tests/interleavings/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int stress;

/* A slot serves the rank's children and, unless it is the root's, the rank itself. */
static uint32_t banked_readers(const struct toy_case *c, uint32_t root, uint32_t owner)
{
    uint32_t readers = owner == root ? 0 : 1u << owner;
    for (uint32_t i = 0; i < tree_child_count(c->tree, root, owner); i++)
        readers |= 1u << tree_child(c->tree, root, owner, i);
    return readers;
}

/* Rank 0's ring is for all but the root; another root's slots are for rank 0. */
static uint32_t release_gather_readers(const struct toy_case *c, uint32_t root, uint32_t owner)
{
    uint32_t all = (1u << c->procs) - 1;
    return owner == 0 ? all & ~(1u << root) : 1;
}

/* Fragments of two bytes; numbers wrap within the run. */
#define RING(p, s, wrap) .procs = p, .fragment_bytes = 2, .slots = s, .sets = 1, .op_start = UINT32_MAX - wrap
#define BANK(p, s, q) \
    .procs = p, .fragment_bytes = 2, .slots = s, .sets = q, .op_start = UINT32_MAX - 1, .readers = banked_readers
#define TREE(p, s, wrap) RING(p, s, wrap), .readers = release_gather_readers

static const struct plan ring_plans[] = {
    {"flat", {"main", RING(3, 4, 3), .calls = 3, .root = {0, 1, 2}, .size_bytes = {9, 7, 11}}},
    {"flat", {"same root, long", RING(3, 4, 2), .calls = 3, .root = {1, 1, 0}, .size_bytes = {19, 9, 14}}},
    {"flat", {"short calls", RING(3, 4, 4), .calls = 9, .root = {0, 1, 2, 2, 0, 1, 0, 2, 0},
              .size_bytes = {1, 2, 1, 1, 2, 1, 1, 2, 1}}},
    {"flat", {"empty call between", RING(3, 4, 1), .calls = 4, .root = {0, 1, 2, 1}, .size_bytes = {5, 0, 5, 4}}},
    {"flat", {"barrier a fragment", RING(3, 2, 3), .calls = 3, .root = {0, 1, 2}, .size_bytes = {5, 3, 6}}},
    {"flat", {"two ranks", RING(2, 8, 5), .calls = 4, .root = {0, 1, 1, 0}, .size_bytes = {13, 5, 19, 20}}},
    {"flat", {"four ranks", RING(4, 4, 2), .calls = 2, .root = {0, 3}, .size_bytes = {5, 3}}},
    {"flat", {"four ranks, short", RING(4, 4, 2), .calls = 5, .root = {3, 0, 1, 2, 2}, .size_bytes = {1, 1, 1, 1, 1}}},
};
static const struct plan ring_stress_plans[] = {
    {"flat", {"four ranks, long", RING(4, 4, 2), .calls = 3, .root = {0, 3, 1}, .size_bytes = {9, 7, 6}}},
    {"flat", {"four ranks, barriers", RING(4, 2, 2), .calls = 4, .root = {0, 3, 1, 2}, .size_bytes = {5, 3, 6, 4}}},
};

static const struct plan bank_plans[] = {
    {"chain", {"main", BANK(3, 2, 2), .calls = 3, .root = {0, 1, 2}, .size_bytes = {5, 7, 3}}},
    {"flat", {"main", BANK(3, 2, 2), .calls = 3, .root = {0, 1, 2}, .size_bytes = {5, 7, 3}}},
    {"chain", {"same root, long", BANK(3, 2, 2), .calls = 4, .root = {1, 1, 0, 0}, .size_bytes = {11, 9, 1, 10}}},
    {"chain", {"partial banks", BANK(3, 4, 2), .calls = 4, .root = {2, 0, 1, 2}, .size_bytes = {11, 1, 9, 6}}},
    {"chain", {"empty call between", BANK(3, 2, 2), .calls = 4, .root = {0, 1, 2, 1}, .size_bytes = {3, 0, 5, 4}}},
    {"chain", {"one slot", BANK(3, 1, 1), .calls = 3, .root = {0, 1, 2}, .size_bytes = {5, 3, 6}}},
    {"chain", {"one bank", BANK(3, 2, 1), .calls = 3, .root = {0, 1, 2}, .size_bytes = {7, 3, 9}}},
    {"flat", {"two ranks", BANK(2, 4, 2), .calls = 4, .root = {0, 1, 1, 0}, .size_bytes = {13, 5, 9, 20}}},
    {"chain", {"four ranks", BANK(4, 2, 2), .calls = 2, .root = {0, 3}, .size_bytes = {5, 3}}},
    {"binary", {"four ranks", BANK(4, 2, 2), .calls = 2, .root = {0, 3}, .size_bytes = {5, 3}}},
    {"binomial", {"four ranks", BANK(4, 2, 2), .calls = 2, .root = {0, 3}, .size_bytes = {5, 3}}},
};
static const struct plan bank_stress_plans[] = {
    {"binary", {"four ranks, banks of 2", BANK(4, 4, 2), .calls = 3, .root = {0, 1, 2}, .size_bytes = {15, 9, 11}}},
    {"chain", {"four ranks, banks of 2", BANK(4, 4, 2), .calls = 3, .root = {0, 1, 2}, .size_bytes = {15, 9, 11}}},
    {"kary:4", {"four ranks, long", BANK(4, 2, 2), .calls = 3, .root = {0, 1, 2}, .size_bytes = {9, 7, 9}}},
};

static const struct plan tree_plans[] = {
    {"flat", {"main", TREE(3, 2, 2), .calls = 3, .root = {0, 1, 2}, .size_bytes = {9, 7, 5}}},
    {"chain", {"main", TREE(3, 2, 2), .calls = 3, .root = {0, 1, 2}, .size_bytes = {9, 7, 5}}},
    {"flat", {"four cells", TREE(3, 4, 3), .calls = 3, .root = {2, 0, 1}, .size_bytes = {11, 13, 9}}},
    {"chain", {"four cells", TREE(3, 4, 3), .calls = 3, .root = {2, 0, 1}, .size_bytes = {11, 13, 9}}},
    {"chain", {"four cells, same root", TREE(3, 4, 3), .calls = 3, .root = {1, 1, 1}, .size_bytes = {11, 13, 9}}},
    {"flat", {"short calls", TREE(3, 4, 4), .calls = 9, .root = {0, 1, 2, 2, 0, 1, 0, 2, 0},
              .size_bytes = {1, 2, 1, 1, 2, 1, 1, 2, 1}}},
    {"chain", {"short calls", TREE(3, 4, 4), .calls = 9, .root = {0, 1, 2, 2, 0, 1, 0, 2, 0},
               .size_bytes = {1, 2, 1, 1, 2, 1, 1, 2, 1}}},
    {"chain", {"empty call between", TREE(3, 2, 1), .calls = 4, .root = {0, 1, 2, 1}, .size_bytes = {5, 0, 5, 4}}},
    {"chain", {"one cell", TREE(3, 1, 3), .calls = 3, .root = {0, 1, 2}, .size_bytes = {5, 3, 6}}},
    {"flat", {"two ranks", TREE(2, 4, 5), .calls = 4, .root = {0, 1, 1, 0}, .size_bytes = {13, 5, 19, 20}}},
    {"flat", {"four ranks", TREE(4, 2, 2), .calls = 2, .root = {0, 3}, .size_bytes = {7, 5}}},
    {"chain", {"four ranks", TREE(4, 2, 2), .calls = 2, .root = {0, 3}, .size_bytes = {7, 5}}},
    {"binary", {"four ranks", TREE(4, 2, 2), .calls = 3, .root = {3, 1, 0}, .size_bytes = {5, 3, 4}}},
    {"joined:1", {"two domains", TREE(4, 2, 2), .calls = 3, .root = {3, 1, 0}, .size_bytes = {5, 3, 4},
                  .domain = {0, 1, 0, 1}}},
    {"joined:64", {"one and three", TREE(4, 2, 2), .calls = 2, .root = {1, 0}, .size_bytes = {5, 3}, .domain = {0, 1, 1, 1}}},
};
static const struct plan tree_stress_plans[] = {
    {"binary", {"four ranks, four cells", TREE(4, 4, 2), .calls = 3, .root = {0, 3, 1}, .size_bytes = {11, 9, 5}}},
    {"chain", {"four ranks, four cells", TREE(4, 4, 2), .calls = 3, .root = {0, 3, 1}, .size_bytes = {11, 9, 5}}},
    {"flat", {"four ranks, four cells", TREE(4, 4, 2), .calls = 2, .root = {0, 3}, .size_bytes = {11, 9}}},
};

/* A rank may stop at any step, also half way through a copy: nobody else takes wrong data or faults. */
static void holds(const struct protocol *protocol, const struct plan *plans, size_t count, const struct plan *large,
                  size_t larges)
{
    plan_print_header();
    for (size_t i = 0; i < count; i++)
        plan_holds(&plans[i], protocol, 0);
    for (size_t i = 0; i < larges && stress; i++)
        plan_holds(&large[i], protocol, 0);
    for (size_t i = 0; i < count; i++)
        if (plans[i].c.procs < 4 || stress)
            plan_holds(&plans[i], protocol, 1);
}

static void slot_ring_holds(void **state)
{
    (void)state;
    holds(&protocol_slot_ring, ring_plans, COUNT(ring_plans), ring_stress_plans, COUNT(ring_stress_plans));
}

static void banked_holds(void **state)
{
    (void)state;
    holds(&protocol_banked, bank_plans, COUNT(bank_plans), bank_stress_plans, COUNT(bank_stress_plans));
}

static void release_gather_holds(void **state)
{
    (void)state;
    holds(&protocol_release_gather, tree_plans, COUNT(tree_plans), tree_stress_plans, COUNT(tree_stress_plans));
}

/* Trees joined by domain serve the other protocols too: there every root has a tree of its own. */
static void joined_trees_serve_all(void **state)
{
    (void)state;
    static const struct plan bank = {"joined:1", {"two domains", BANK(4, 2, 2), .calls = 3, .root = {1, 2, 3},
                                                  .size_bytes = {3, 5, 2}, .domain = {0, 1, 0, 1}}};
    static const struct plan queue = {"joined:2", {"two domains", RING(4, 2, 1), .calls = 3, .root = {1, 2, 3},
                                                   .size_bytes = {3, 5, 2}, .domain = {5, 5, 5, 1}}};
    static const struct plan line = {"joined:1", {"two domains", .procs = 4, .fragment_bytes = 1, .lines = 2,
                                                  .op_start = UINT32_MAX, .calls = 6, .root = {0, 3, 1, 1, 2, 0},
                                                  .size_bytes = {3, 5, 1, 4, 1, 2}, .domain = {0, 1, 0, 1}}};
    plan_print_header();
    plan_holds(&bank, &protocol_banked, 0);
    plan_holds(&queue, &protocol_pipelined, 0);
    plan_holds(&queue, &protocol_counted, 0);
    plan_holds(&line, &protocol_eager, 0);
}

static void all_roots_and_sizes(void **state)
{
    (void)state;
    static const struct plan plans[] = {
        {"flat", {"all roots, sizes", RING(3, 2, 2)}},        {"flat", {"all roots, sizes", RING(3, 4, 2)}},
        {"chain", {"all roots, sizes", BANK(3, 1, 1)}},       {"chain", {"all roots, sizes", BANK(3, 2, 2)}},
        {"flat", {"all roots, sizes", TREE(3, 1, 2)}},        {"chain", {"all roots, sizes", TREE(3, 2, 2)}},
        {"flat", {"all roots, sizes", TREE(3, 2, 2)}},        {"chain", {"all roots, sizes", TREE(3, 4, 2)}},
    };
    static const struct protocol *const protocols[] = {&protocol_slot_ring, &protocol_banked, &protocol_release_gather,
                                                       &protocol_release_gather};
    for (size_t i = 0; i < COUNT(plans); i++)
        if (i + 2 < COUNT(plans) || stress)
            plan_product_holds(&plans[i], protocols[i / 2]);
    struct plan half = plans[5]; /* where differences change their sign */
    half.c.op_start = INT32_MAX - 2;
    if (stress)
        plan_product_holds(&half, &protocol_release_gather);
}

static size_t of_three_ranks(const struct plan *plans, size_t count)
{
    size_t n = 0;
    while (n < count && plans[n].c.procs == 3)
        n++;
    return n;
}

static void mutants_of_all_are_caught(void **state)
{
    (void)state;
    mutants_are_caught(mutants_slot_ring, mutants_slot_ring_count, ring_plans, of_three_ranks(ring_plans, COUNT(ring_plans)));
    mutants_are_caught(mutants_banked, mutants_banked_count, bank_plans, of_three_ranks(bank_plans, COUNT(bank_plans)));
    mutants_are_caught(mutants_release_gather, mutants_release_gather_count, tree_plans,
                       of_three_ranks(tree_plans, COUNT(tree_plans)));
}

int main(int argc, char **argv)
{
    stress = argc > 1 && strcmp(argv[1], "stress") == 0;
    plan_verbose(argc > 1 && strcmp(argv[1], "verbose") == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_ring_holds),
        cmocka_unit_test(banked_holds),
        cmocka_unit_test(release_gather_holds),
        cmocka_unit_test(joined_trees_serve_all),
        cmocka_unit_test(all_roots_and_sizes),
        cmocka_unit_test(mutants_of_all_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
