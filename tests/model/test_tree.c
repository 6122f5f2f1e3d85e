/* tree: against definitions that share nothing with how the trees are built. */
#include "tests/model/cmocka_all.h"

#include "model/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PROCS_MAX = 70 };

/* The parents by growing the tree, not by arithmetic on numbers: a k-nomial tree doubles (k-folds) itself in rounds, each rank
 * that is in sending to its k-1 images one span further; the k-ary tree fills level by level. */
static void parents_by_growing(struct tree_shape shape, uint32_t p, uint32_t *parent)
{
    parent[0] = 0;
    if (shape.kind == TREE_FLAT || shape.kind == TREE_CHAIN) {
        for (uint32_t v = 1; v < p; v++)
            parent[v] = shape.kind == TREE_FLAT ? 0 : v - 1;
    } else if (shape.kind == TREE_KARY) {
        for (uint32_t next = 1, v = 0; next < p; v++)
            for (uint32_t i = 0; i < shape.degree && next < p; i++)
                parent[next++] = v;
    } else {
        uint32_t span = 1; /* every multiple of span is in; rounds from the widest span down */
        while (span < p)
            span *= shape.degree;
        for (; span > 1; span /= shape.degree)
            for (uint32_t v = 0; v < p; v += span)
                for (uint32_t i = 1; i < shape.degree; i++)
                    if (v + i * (span / shape.degree) < p)
                        parent[v + i * (span / shape.degree)] = v;
    }
}

static uint32_t subtree_size(const uint32_t *parent, uint32_t p, uint32_t v)
{
    uint32_t size = 1;
    for (uint32_t w = v + 1; w < p; w++)
        if (parent[w] == v)
            size += subtree_size(parent, p, w);
    return size;
}

/* A k-nomial tree of k^n ranks; the others cut only their last subtrees. */
static int full(struct tree_shape shape, uint32_t p)
{
    while (shape.kind == TREE_KNOMIAL && p > 1 && p % shape.degree == 0)
        p /= shape.degree;
    return shape.kind != TREE_KNOMIAL || p == 1;
}

/* Children are exactly those whose parent this is; where no subtree is cut short, the largest comes first. */
static void check_children(const struct tree *tree, const uint32_t *parent, uint32_t root, uint32_t v)
{
    uint32_t p = tree->procs, rank = (v + root) % p, count = tree_child_count(tree, root, rank), seen = 0, largest = 0;
    for (uint32_t w = 1; w < p; w++)
        seen += parent[w] == v;
    assert_int_equal(count, seen);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t child = tree_child(tree, root, rank, i), child_v = (child + p - root) % p;
        assert_int_equal(parent[child_v], v);
        assert_int_equal(tree_parent(tree, root, child), rank);
        uint32_t size = root == 0 && full(tree->shape, p) ? subtree_size(parent, p, child_v) : 0;
        assert_true(i == 0 || size <= largest);
        largest = size;
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(child, tree_child(tree, root, rank, j));
    }
}

static void check_tree(struct tree_shape shape, uint32_t p)
{
    struct tree tree;
    uint32_t parent[PROCS_MAX];
    assert_int_equal(tree_create(shape, p, &tree), 0);
    parents_by_growing(shape, p, parent);
    assert_int_equal(tree.first[p], p - 1);
    for (uint32_t root = 0; root < p; root++)
        for (uint32_t v = 0; v < p; v++) {
            uint32_t rank = (v + root) % p, hops = 0;
            assert_int_equal(tree_virtual(&tree, root, rank), v);
            assert_int_equal(tree_rank(&tree, root, v), rank);
            assert_int_equal(tree_parent(&tree, root, rank), (parent[v] + root) % p);
            for (uint32_t w = v; w != 0; w = parent[w])
                hops++;
            assert_int_equal(tree_depth(&tree, root, rank), hops);
            check_children(&tree, parent, root, v);
        }
    tree_destroy(&tree);
    assert_null(tree.parent);
}

static void test_shapes(void **state)
{
    (void)state;
    unsigned checked = 0;
    for (uint32_t p = 1; p <= PROCS_MAX; p++, checked += 2 + 8 + 7) {
        check_tree((struct tree_shape){TREE_FLAT, 0}, p);
        check_tree((struct tree_shape){TREE_CHAIN, 0}, p);
        for (uint32_t k = 1; k <= 8; k++) {
            check_tree((struct tree_shape){TREE_KARY, k}, p);
            if (k > 1)
                check_tree((struct tree_shape){TREE_KNOMIAL, k}, p);
        }
    }
    print_message("%u trees, every root\n", checked);
}

/* Depths known without any tree: rounds of a binomial broadcast, levels of a complete tree. */
static void test_depths(void **state)
{
    (void)state;
    const struct {
        struct tree_shape shape;
        uint32_t p, deepest;
    } known[] = {{{TREE_KNOMIAL, 2}, 64, 6}, {{TREE_KNOMIAL, 4}, 64, 3}, {{TREE_KARY, 2}, 63, 5}, {{TREE_KARY, 2}, 64, 6},
                 {{TREE_CHAIN, 0}, 64, 63},  {{TREE_FLAT, 0}, 64, 1},    {{TREE_KARY, 1}, 9, 8}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct tree tree;
        uint32_t deepest = 0;
        assert_int_equal(tree_create(known[i].shape, known[i].p, &tree), 0);
        for (uint32_t v = 0; v < known[i].p; v++)
            deepest = tree.depth[v] > deepest ? tree.depth[v] : deepest;
        assert_int_equal(deepest, known[i].deepest);
        tree_destroy(&tree);
    }
}

/* What a joined tree must be, from the definition: one edge from the root into every other domain, and in each a k-ary tree. */
static void check_joined_root(const struct tree *tree, const uint32_t *domain, uint32_t domains, uint32_t root)
{
    uint32_t p = tree->procs, crossings = 0, edges = 0, seen[PROCS_MAX] = {0};
    for (uint32_t r = 0; r < p; r++) {
        uint32_t v = tree_virtual(tree, root, r), parent = tree_parent(tree, root, r), inside = 0;
        assert_true(v < p && !seen[v]++);
        assert_int_equal(tree_rank(tree, root, v), r);
        assert_int_equal(tree_depth(tree, root, r), r == root ? 0 : tree_depth(tree, root, parent) + 1);
        for (uint32_t i = 0; i < tree_child_count(tree, root, r); i++, edges++) {
            uint32_t child = tree_child(tree, root, r, i), crosses = domain[child] != domain[r];
            assert_int_equal(tree_parent(tree, root, child), r);
            assert_true(!crosses || (r == root && inside == 0)); /* the others first */
            crossings += crosses;
            inside += !crosses;
        }
        assert_true(inside <= tree->shape.degree);
    }
    assert_int_equal(tree_virtual(tree, root, root), 0);
    assert_int_equal(edges, p - 1);
    assert_int_equal(crossings, domains - 1);
}

/* The arrays say the same of the root they are for. */
static void check_joined_arrays(const struct tree *tree, uint32_t root)
{
    assert_int_equal(tree->first[tree->procs], tree->procs - 1);
    for (uint32_t v = 0; v < tree->procs; v++) {
        uint32_t rank = tree_rank(tree, root, v);
        assert_int_equal(tree_rank(tree, root, tree->parent[v]), v ? tree_parent(tree, root, rank) : root);
        assert_int_equal(tree->depth[v], tree_depth(tree, root, rank));
        assert_int_equal(tree->first[v + 1] - tree->first[v], tree_child_count(tree, root, rank));
        for (uint32_t i = tree->first[v]; i < tree->first[v + 1]; i++)
            assert_int_equal(tree_rank(tree, root, tree->child[i]), tree_child(tree, root, rank, i - tree->first[v]));
    }
}

static void test_joined(void **state)
{
    (void)state;
    uint32_t random = 12345, domain[PROCS_MAX];
    for (uint32_t round = 0; round < 400; round++) {
        uint32_t p = 1 + round % PROCS_MAX, domains = 0, known = 0, degree = 1 + round / 7 % 5, root = round / 3 % p;
        for (uint32_t r = 0; r < p; r++) {
            random = random * 1664525 + 1013904223;
            domain[r] = 3 + 100 * ((random >> 24) % (1 + round % 5)); /* any numbers */
            domains += !(known >> domain[r] / 100 & 1);
            known |= 1u << domain[r] / 100;
        }
        struct tree tree;
        assert_int_equal(tree_create_placed((struct tree_shape){TREE_JOINED, degree}, p, domain, root, &tree), 0);
        for (uint32_t other = 0; other < p; other++)
            check_joined_root(&tree, domain, domains, other);
        check_joined_arrays(&tree, root);
        tree_destroy(&tree);
    }
}

/* On one domain it is the k-ary tree. */
static void test_joined_alone(void **state)
{
    (void)state;
    for (uint32_t p = 1; p <= PROCS_MAX; p++) {
        struct tree joined, kary;
        assert_int_equal(tree_create((struct tree_shape){TREE_JOINED, 3}, p, &joined), 0);
        assert_int_equal(tree_create((struct tree_shape){TREE_KARY, 3}, p, &kary), 0);
        for (uint32_t root = 0; root < p; root++)
            for (uint32_t r = 0; r < p; r++) {
                assert_int_equal(tree_parent(&joined, root, r), tree_parent(&kary, root, r));
                assert_int_equal(tree_child_count(&joined, root, r), tree_child_count(&kary, root, r));
                for (uint32_t i = 0; i < tree_child_count(&kary, root, r); i++)
                    assert_int_equal(tree_child(&joined, root, r, i), tree_child(&kary, root, r, i));
            }
        tree_destroy(&joined);
        tree_destroy(&kary);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    struct tree tree = {.procs = 77};
    assert_int_equal(tree_create((struct tree_shape){TREE_FLAT, 0}, 0, &tree), -EINVAL);
    assert_int_equal(tree_create((struct tree_shape){TREE_KARY, 0}, 4, &tree), -EINVAL);
    assert_int_equal(tree_create((struct tree_shape){TREE_KNOMIAL, 1}, 4, &tree), -EINVAL);
    assert_int_equal(tree_create((struct tree_shape){(enum tree_kind)7, 2}, 4, &tree), -EINVAL);
    assert_int_equal(tree_create((struct tree_shape){TREE_JOINED, 0}, 4, &tree), -EINVAL);
    assert_int_equal(tree_create_placed((struct tree_shape){TREE_JOINED, 2}, 4, NULL, 4, &tree), -EINVAL);
    assert_int_equal(tree.procs, 77);
}

static void test_names(void **state)
{
    (void)state;
    const struct {
        const char *text, *form;
    } good[] = {{"flat", "flat"},           {"chain", "chain"},   {"kary:3", "kary:3"},         {"binary", "kary:2"},
                {"knomial:4", "knomial:4"}, {"kary:1", "kary:1"}, {"kary:65536", "kary:65536"}, {"binomial", "knomial:2"},
                {"joined:1", "joined:1"},   {"joined:64", "joined:64"}};
    const char *const bad[] = {"",        "Flat",     "kary",      "kary:",      "kary:0",
                               "kary:-1", "kary:2x",  "knomial:1", "kary: 2",    "kary:+2",
                               "flat:2",  "knomial:", "binary:2",  "kary:65537", "kary:99999999999999999999",
                               "chain ",  "joined",   "joined:0"};
    struct tree_shape shape;
    char text[32];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(tree_shape_parse(good[i].text, &shape), 0);
        assert_string_equal(tree_shape_format(shape, text, sizeof text), good[i].form);
    }
    shape = (struct tree_shape){TREE_KARY, 77};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(tree_shape_parse(bad[i], &shape), -EINVAL);
    assert_int_equal(shape.degree, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes),       cmocka_unit_test(test_joined),
                                       cmocka_unit_test(test_joined_alone), cmocka_unit_test(test_depths),
                                       cmocka_unit_test(test_refusals),     cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
