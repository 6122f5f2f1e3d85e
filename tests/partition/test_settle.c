/* Names of parts: assignments against all permutations; ranks that stay, as many as there can be, with cuts and J as they
 * were. */
#include "tests/model/cmocka_all.h"
#include "partition/mapping.h"
#include "partition/settle.h"
#include "tests/partition/brute.h"

#include <stdlib.h>
#include <string.h>

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % below);
}

/* The greatest sum over all permutations of what is left. */
static uint32_t best_sum(uint32_t count, const uint32_t *weight, uint32_t a, uint32_t taken)
{
    uint32_t best = 0;
    for (uint32_t b = 0; b < count && a < count; b++)
        if (!(taken >> b & 1)) {
            uint32_t sum = weight[a * count + b] + best_sum(count, weight, a + 1, taken | 1u << b);
            best = sum > best ? sum : best;
        }
    return best;
}

enum { COUNT_MOST = 7, TRIES = 300 };

static void assignments_are_the_best(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int try = 0; try < TRIES; try++) {
        uint32_t count = 1 + draw(&random, COUNT_MOST), weight[COUNT_MOST * COUNT_MOST] = {0}, of[COUNT_MOST], sum = 0, taken = 0;
        struct settle_pair pair[64];
        size_t pairs = draw(&random, 64);
        for (size_t i = 0; i < pairs; i++) {
            pair[i] = (struct settle_pair){draw(&random, count), draw(&random, count), 1 + draw(&random, 4)};
            weight[pair[i].a * count + pair[i].b] += pair[i].weight;
        }
        assert_int_equal(settle_assign(count, pair, pairs, of), 0);
        for (uint32_t a = 0; a < count; a++) {
            assert_true(of[a] < count && !(taken >> of[a] & 1));
            taken |= 1u << of[a];
            sum += weight[a * count + of[a]];
        }
        assert_int_equal(sum, best_sum(count, weight, 0, 0));
    }
}

/* Beyond what is solved exactly: a permutation that is there to be found, among pairs that weigh less. */
static void many_are_assigned(void **state)
{
    (void)state;
    enum { MANY = 3 * SETTLE_EXACT_MOST };
    struct settle_pair *pair = malloc(4 * MANY * sizeof *pair);
    uint32_t *of = malloc(MANY * sizeof *of);
    uint64_t random = 7;
    for (uint32_t a = 0; a < MANY; a++)
        pair[a] = (struct settle_pair){a, (a * 5 + 1) % MANY, 9};
    for (uint32_t i = MANY; i < 4 * MANY; i++)
        pair[i] = (struct settle_pair){draw(&random, MANY), draw(&random, MANY), 1};
    assert_int_equal(settle_assign(MANY, pair, 4 * MANY, of), 0);
    for (uint32_t a = 0; a < MANY; a++)
        assert_int_equal(of[a], (a * 5 + 1) % MANY);
    assert_int_equal(settle_assign(MANY, pair, 0, of), 0);
    for (uint32_t a = 0; a < MANY; a++)
        assert_int_equal(of[a], a);
    free(pair);
    free(of);
}

/* Ranks that play a number of their own group's. */
static uint32_t stay(const struct mapping *m, const struct hierarchy *h, uint32_t level)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < m->procs; r++)
        count += h->level[level].group[r] == h->level[level].group[mapping_virtual(m, r)];
    return count;
}

/* What ranks of a group play, by the group their numbers are of. */
static uint32_t most_that_can_stay(const struct mapping *m, const struct hierarchy *h)
{
    uint32_t groups = h->level[0].groups, weight[COUNT_MOST * COUNT_MOST] = {0};
    for (uint32_t r = 0; r < m->procs; r++)
        weight[h->level[0].group[r] * groups + h->level[0].group[mapping_virtual(m, r)]]++;
    return best_sum(groups, weight, 0, 0);
}

static void mapping_random(struct mapping *m, uint32_t procs, uint64_t *random)
{
    mapping_identity(m, procs);
    assert_int_equal(mapping_expand(m), 0);
    for (uint32_t i = procs; i-- > 1;) {
        uint32_t j = draw(random, i + 1), kept = m->virtual_of_rank[i];
        m->virtual_of_rank[i] = m->virtual_of_rank[j];
        m->virtual_of_rank[j] = kept;
    }
    for (uint32_t r = 0; r < procs; r++)
        m->rank_of_virtual[m->virtual_of_rank[r]] = r;
}

static void ranks_stay(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int try = 0; try < TRIES; try++) {
        uint32_t nodes = 2 + draw(&random, COUNT_MOST - 1), n = nodes * (1 + draw(&random, 6)), key[COUNT_MOST * 6];
        struct schedule schedule;
        struct graph graph;
        struct hierarchy h;
        struct mapping m;
        struct mapping_quality before, after;
        assert_int_equal(schedule_init(&schedule, &schedule_bruck, n, 0), 0);
        assert_int_equal(graph_of_schedule(&graph, &schedule), 0);
        for (uint32_t r = 0; r < n; r++)
            key[r] = try % 2 ? r % nodes : r * nodes / n;
        assert_int_equal(hierarchy_init(&h, n), 0);
        assert_int_equal(hierarchy_add(&h, "node", key), 0);
        mapping_random(&m, n, &random);
        uint32_t most = most_that_can_stay(&m, &h), own = 0;
        assert_int_equal(mapping_quality(&graph, &m, &h, &before), 0);
        assert_int_equal(mapping_settle(&m, &h), 0);
        assert_int_equal(mapping_quality(&graph, &m, &h, &after), 0);
        struct numbering numbering = mapping_numbering(&m);
        assert_int_equal(numbering_check(&numbering, n), 0);
        assert_int_equal(stay(&m, &h, 0), most);
        for (uint32_t r = 0; r < n; r++)
            own += mapping_virtual(&m, r) == r;
        assert_int_equal(own, most);
        assert_true(before.cut[0] == after.cut[0] && before.busiest[0] == after.busiest[0]);
        assert_near(after.j, before.j, 1e-9 * before.j);
        mapping_destroy(&m);
        hierarchy_destroy(&h);
        graph_destroy(&graph);
    }
}

/* Switches of nodes of sockets, one node smaller, one with unequal sockets: groups are exchanged with those that are alike
 * only. */
static void levels_stay_as_they_are(void **state)
{
    (void)state;
    enum { RANKS = 44 };
    static const uint32_t sizes[] = {8, 8, 4, 8, 8, 8};
    uint32_t node[RANKS], key[RANKS], n = 0;
    uint64_t random = 5;
    for (uint32_t u = 0; u < 6; u++)
        for (uint32_t i = 0; i < sizes[u]; i++)
            node[n++] = u;
    struct schedule schedule;
    struct graph graph;
    struct hierarchy h;
    assert_int_equal(schedule_init(&schedule, &schedule_bruck, RANKS, 0), 0);
    assert_int_equal(graph_of_schedule(&graph, &schedule), 0);
    assert_int_equal(hierarchy_init(&h, RANKS), 0);
    for (uint32_t r = 0; r < RANKS; r++)
        key[r] = node[r] / 3;
    assert_int_equal(hierarchy_add(&h, "switch", key), 0);
    assert_int_equal(hierarchy_add(&h, "node", node), 0);
    for (uint32_t r = 0; r < RANKS; r++)
        key[r] = node[r] == 4 ? r % 8 == 0 : r / 2 % 2;
    assert_int_equal(hierarchy_add(&h, "socket", key), 0);
    for (int try = 0; try < TRIES; try++) {
        struct mapping m;
        struct mapping_quality before, after;
        mapping_random(&m, RANKS, &random);
        uint32_t switches = stay(&m, &h, 0);
        assert_int_equal(mapping_quality(&graph, &m, &h, &before), 0);
        assert_int_equal(mapping_settle(&m, &h), 0);
        assert_int_equal(mapping_quality(&graph, &m, &h, &after), 0);
        struct numbering numbering = mapping_numbering(&m);
        assert_int_equal(numbering_check(&numbering, RANKS), 0);
        assert_near(after.j, before.j, 1e-9 * before.j);
        assert_memory_equal(before.cut, after.cut, h.levels * sizeof *after.cut);
        assert_int_equal(stay(&m, &h, 0), switches); /* the two switches are not alike */
        mapping_destroy(&m);
    }
    hierarchy_destroy(&h);
    graph_destroy(&graph);
}

/* What a formula names its parts is the best, as if it were tables. */
static void formulas_stay(void **state)
{
    (void)state;
    for (uint32_t parts = 2; parts <= 24; parts++)
        for (uint32_t size = 1; size <= 24; size++) {
            struct partition partition = {.vertices = parts * size, .parts = parts, .form = PARTITION_MODULO};
            struct mapping m, tables;
            struct hierarchy h;
            assert_int_equal(mapping_of_partition(&m, &partition, NULL), 0);
            for (uint32_t r = 0; r < m.procs; r++) {
                assert_int_equal(mapping_rank(&m, mapping_virtual(&m, r)), r);
                assert_int_equal(mapping_virtual(&m, r) % parts, mapping_virtual(&m, r / size * size) % parts);
            }
            assert_int_equal(hierarchy_of_nodes(&h, parts * size, size, NULL, NULL), 0);
            tables = m;
            assert_int_equal(mapping_expand(&tables), 0);
            assert_int_equal(mapping_settle(&tables, &h), 0);
            assert_int_equal(h.levels ? stay(&m, &h, 0) : 0, h.levels ? stay(&tables, &h, 0) : 0);
            assert_int_equal(h.levels ? stay(&m, &h, 0) : parts * ((size + parts - 1) / parts),
                             parts * ((size + parts - 1) / parts));
            mapping_destroy(&tables);
            hierarchy_destroy(&h);
        }
}

static void runs_stay(void **state)
{
    (void)state;
    for (uint32_t shift = 0; shift < 60; shift++) {
        struct partition partition = {.vertices = 60, .parts = 6, .form = PARTITION_BLOCKS, .shift = shift};
        struct mapping m;
        struct hierarchy h;
        assert_int_equal(mapping_of_partition(&m, &partition, NULL), 0);
        assert_int_equal(hierarchy_of_nodes(&h, 60, 10, NULL, NULL), 0);
        for (uint32_t r = 0; r < 60; r++)
            assert_int_equal(partition_part(&partition, mapping_virtual(&m, r)),
                             partition_part(&partition, mapping_virtual(&m, r / 10 * 10)));
        assert_int_equal(stay(&m, &h, 0), most_that_can_stay(&m, &h));
        hierarchy_destroy(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assignments_are_the_best), cmocka_unit_test(many_are_assigned), cmocka_unit_test(ranks_stay),
        cmocka_unit_test(levels_stay_as_they_are),  cmocka_unit_test(formulas_stay),     cmocka_unit_test(runs_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
