/* Hierarchies and mappings: permutations that put every part where it belongs, and their quality against sums over all steps. */
#include "tests/model/cmocka_all.h"
#include "partition/mapping.h"
#include "tests/partition/brute.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void set_up(struct schedule *schedule, struct graph *graph, const struct schedule_algorithm *algorithm, uint32_t n)
{
    assert_int_equal(schedule_init(schedule, algorithm, n, 0), 0);
    assert_int_equal(graph_of_schedule(graph, schedule), 0);
}

/* Switches of four nodes, nodes of two sockets, sockets of two caches; ranks are dealt to nodes in turns. */
static void machine(struct hierarchy *h, uint32_t procs, uint32_t nodes)
{
    uint32_t *key = malloc(procs * sizeof *key);
    assert_int_equal(hierarchy_init(h, procs), 0);
    const char *const names[] = {"switch", "node", "socket", "cache"};
    for (uint32_t l = 0; l < 4; l++) {
        for (uint32_t r = 0; r < procs; r++) {
            uint32_t node = r % nodes, core = r / nodes;
            key[r] = l == 0 ? node / 4 : l == 1 ? node : l == 2 ? core % 2 : core / 2 % 2;
        }
        assert_int_equal(hierarchy_add(h, names[l], key), 0);
    }
    free(key);
}

static void levels(void **state)
{
    (void)state;
    struct hierarchy h;
    machine(&h, 64, 8);
    assert_int_equal(h.levels, 4);
    assert_int_equal(h.level[0].groups, 2);
    assert_int_equal(h.level[1].groups, 8);
    assert_int_equal(h.level[3].groups, 32);
    assert_int_equal(hierarchy_parted(&h, 0, 4), 0);
    assert_int_equal(hierarchy_parted(&h, 0, 1), 1);
    assert_int_equal(hierarchy_parted(&h, 0, 8), 2);
    assert_int_equal(hierarchy_parted(&h, 0, 16), 3);
    assert_int_equal(hierarchy_parted(&h, 0, 32), 4);
    assert_near(hierarchy_distance(&h, 0, 4), 4, 0);
    assert_near(hierarchy_distance(&h, 0, 32), 0, 0);
    uint32_t nothing[64] = {0};
    assert_int_equal(hierarchy_add(&h, "nothing", nothing), 0);
    assert_int_equal(h.levels, 4);
    hierarchy_destroy(&h);
}

/* J, cuts and busiest links from the blocks that any two ranks send each other. */
static void quality_is(const struct schedule *schedule, const struct graph *graph, const struct mapping *m,
                       const struct hierarchy *h)
{
    struct mapping_quality q;
    uint32_t n = schedule->procs;
    uint64_t *sent = brute_sent(schedule), *round = malloc(schedule_rounds(schedule) * sizeof *round);
    double j = 0;
    assert_int_equal(mapping_quality(graph, m, h, &q), 0);
    for (uint32_t l = 0; l < h->levels; l++) {
        const uint32_t *group = h->level[l].group;
        uint64_t cut = 0, most = 0, by_rounds = 0, *leaves = calloc(h->level[l].groups, sizeof *leaves);
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++) {
                uint64_t blocks = sent[mapping_virtual(m, a) * n + mapping_virtual(m, b)];
                if (group[a] == group[b])
                    continue;
                cut += blocks;
                leaves[group[a]] += blocks;
                leaves[group[b]] += blocks;
            }
        for (uint32_t g = 0; g < h->level[l].groups; g++)
            most = leaves[g] > most ? leaves[g] : most;
        assert_int_equal(q.cut[l], cut);
        assert_int_equal(q.busiest[l], most);
        assert_int_equal(leaves[q.busiest_group[l]], most);
        mapping_step_cuts(schedule, m, h, l, round);
        for (uint32_t k = 0; k < schedule_rounds(schedule); k++)
            by_rounds += round[k];
        assert_int_equal(by_rounds, cut);
        free(leaves);
    }
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            j += (double)sent[mapping_virtual(m, a) * n + mapping_virtual(m, b)] * (a == b ? 0 : hierarchy_distance(h, a, b));
    assert_near(q.j, j, 1e-9 * j);
    free(sent);
    free(round);
}

static void is_permutation(const struct mapping *m, uint32_t n)
{
    for (uint32_t r = 0; r < n; r++) {
        assert_true(mapping_virtual(m, r) < n);
        assert_int_equal(mapping_rank(m, mapping_virtual(m, r)), r);
    }
    if (m->form == MAPPING_TABLE) {
        struct numbering numbering = mapping_numbering(m);
        assert_int_equal(numbering_check(&numbering, n), 0);
    }
}

static void top_down(void **state)
{
    (void)state;
    static const uint32_t ranks[] = {16, 48, 64};
    char reason[200];
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        for (size_t i = 0; i < 3; i++)
            for (const struct partitioner *const *p = partitioner_table; *p; p++) {
                struct schedule schedule;
                struct graph graph;
                struct hierarchy h;
                struct mapping m;
                if (!schedule_valid(*a, ranks[i]) || strcmp((*p)->name, "closed") == 0)
                    continue;
                set_up(&schedule, &graph, *a, ranks[i]);
                machine(&h, ranks[i], 8);
                struct partition_problem problem = {.graph = &graph, .schedule = &schedule, .seed = 1};
                assert_int_equal(mapping_make(&m, *p, &problem, &h, reason, sizeof reason), 0);
                is_permutation(&m, ranks[i]);
                quality_is(&schedule, &graph, &m, &h);
                mapping_destroy(&m);
                hierarchy_destroy(&h);
                graph_destroy(&graph);
            }
}

/* By a formula and by tables the same; a rank's steps need neither. */
static void formulas(void **state)
{
    (void)state;
    const struct schedule_algorithm *const algorithms[] = {&schedule_bruck, &schedule_ring, &schedule_neighbour_exchange};
    char reason[200];
    for (size_t i = 0; i < 3; i++) {
        struct schedule schedule;
        struct graph graph;
        struct partition partition;
        struct mapping m, tables;
        set_up(&schedule, &graph, algorithms[i], 48);
        struct partition_problem problem = {.graph = &graph, .schedule = &schedule, .parts = 8};
        assert_int_equal(partition_make(partitioner_find("closed"), &problem, &partition, reason, sizeof reason), 0);
        assert_int_equal(mapping_of_partition(&m, &partition, NULL), 0);
        assert_int_not_equal(m.form, MAPPING_TABLE);
        is_permutation(&m, 48);
        tables = m;
        assert_int_equal(mapping_expand(&tables), 0);
        is_permutation(&tables, 48);
        struct numbering numbering = mapping_numbering(&tables);
        for (uint32_t r = 0; r < 48; r++) {
            assert_int_equal(partition_part(&partition, mapping_virtual(&m, r)),
                             partition_part(&partition, mapping_virtual(&m, r / 6 * 6)));
            for (uint32_t k = 0; k < schedule_steps(&schedule, mapping_virtual(&m, r)); k++) {
                struct schedule_step by_formula, by_table;
                mapping_step(&schedule, &m, r, k, &by_formula);
                schedule_step_numbered(&schedule, &numbering, r, k, &by_table);
                assert_memory_equal(&by_formula, &by_table, sizeof by_table);
            }
        }
        mapping_destroy(&tables);
        partition_destroy(&partition);
        graph_destroy(&graph);
    }
}

static void nodes_in_any_order(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {3, 6, 3}, node_of_rank[] = {1, 0, 2, 1, 1, 2, 0, 1, 0, 1, 2, 1};
    struct schedule schedule;
    struct graph graph;
    struct partition partition;
    struct mapping m;
    char reason[200];
    set_up(&schedule, &graph, &schedule_bruck, 12);
    struct partition_problem problem = {.graph = &graph, .schedule = &schedule, .parts = 3, .sizes = sizes};
    assert_int_equal(partition_make(partitioner_find("auto"), &problem, &partition, reason, sizeof reason), 0);
    assert_int_equal(mapping_of_partition(&m, &partition, node_of_rank), 0);
    is_permutation(&m, 12);
    for (uint32_t r = 0; r < 12; r++)
        assert_int_equal(partition_part(&partition, mapping_virtual(&m, r)), node_of_rank[r]);
    mapping_destroy(&m);
    uint32_t wrong[12];
    memcpy(wrong, node_of_rank, sizeof wrong);
    wrong[3] = 0;
    assert_int_equal(mapping_of_partition(&m, &partition, wrong), -EINVAL);
    wrong[3] = 3;
    assert_int_equal(mapping_of_partition(&m, &partition, wrong), -EINVAL);
    partition_destroy(&partition);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels), cmocka_unit_test(top_down), cmocka_unit_test(formulas), cmocka_unit_test(nodes_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
