/* schedule: every algorithm moves the data as it promises, for every number of ranks up to 300, and as much as textbooks say. */
#include "tests/model/cmocka_all.h"
#include "tests/model/data_movement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PROCS_MAX = 300, NOT_STATED = 0xffffffff };

static uint32_t random_state = 20211;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)random_state * limit >> 32);
}

static uint32_t log2_up(uint32_t n)
{
    uint32_t levels = 0;
    for (uint32_t reach = 1; reach < n; reach *= 2)
        levels++;
    return levels;
}

/* Blocks that a binomial scatter sends in all: the far part of the ranks gets its blocks at once, then each part for itself. */
static uint64_t scatter_blocks(uint32_t n)
{
    if (n <= 1)
        return 0;
    uint32_t near = 1u << (log2_up(n) - 1);
    return n - near + scatter_blocks(near) + scatter_blocks(n - near);
}

/* What goes between regions of `region` ranks, of the stages of Bienz, Gautam and Kharel: with w regions' blocks in each, of
 * every region as many ranks as there are others to get w from, at most region - 1, get w regions' each or what is left. */
static struct data_movement regions_textbook(uint32_t n, uint32_t region)
{
    uint32_t regions = n / region, inside = log2_up(region), stages = 0;
    struct data_movement w = {.blocks = (uint64_t)n * (n - 1), .blocks_between = (uint64_t)n * (regions - 1)};
    w.messages = (uint64_t)n * inside;
    for (uint64_t have = 1; have < regions; have *= region > 1 ? region : 2, stages++) {
        uint64_t left = (regions + have - 1) / have - 1, others = region > 1 ? region - 1 : 1;
        w.messages_between += regions * (left < others ? left : others);
        for (uint32_t half = 1; half < region; half *= 2) /* both send, but who has nothing or what all have: rank 0's alone */
            for (uint32_t rank = 0; rank < region; rank++)
                w.messages += (uint64_t)regions * (rank / half * half <= left && (half > 1 || rank > 0 || left == 0));
    }
    w.messages += w.messages_between;
    w.rounds = inside + stages * (1 + inside);
    w.between_most = stages;
    w.root_messages = w.root_blocks = w.sent_most = w.steps_least = w.steps_most = NOT_STATED;
    return w;
}

static int valid_by_definition(const struct schedule_algorithm *a, uint32_t n)
{
    if (a == &schedule_recursive_doubling || a == &schedule_scatter_doubling)
        return n == 1u << log2_up(n);
    return a != &schedule_neighbour_exchange || n % 2 == 0;
}

/* The closed forms. */
static struct data_movement textbook(const struct schedule_algorithm *a, uint32_t n, uint32_t region)
{
    if (a == &schedule_locality_bruck)
        return regions_textbook(n, region);
    uint32_t levels = log2_up(n), steps = a == &schedule_ring ? n - 1 : a == &schedule_neighbour_exchange ? n / 2 : levels;
    uint64_t all = (uint64_t)n * (n - 1);
    struct data_movement w = {.rounds = steps, .steps_least = steps, .steps_most = steps, .blocks = all};
    w.messages = (uint64_t)n * steps;
    w.root_messages = steps, w.root_blocks = w.sent_most = n - 1;
    if (a == &schedule_bruck) {
        w.rounds = w.steps_most = levels + (n > 1);
        w.rotations = n - 1;
    } else if (a->kind != SCHEDULE_ALLGATHER) {
        w.steps_least = n > 1, w.messages = n - 1, w.sent_most = NOT_STATED;
    }
    if (a == &schedule_binomial) {
        w.root_blocks = w.sent_most = (uint64_t)levels * n;
    } else if (a == &schedule_binomial_scatter) {
        w.blocks = scatter_blocks(n);
        w.sent_most = n - 1;
    } else if (a->kind == SCHEDULE_BCAST) {
        int ring = a == &schedule_scatter_allgather;
        w.rounds = w.steps_most = levels + (ring ? n - 1 : levels);
        w.steps_least = NOT_STATED;
        w.messages = ring ? n - 1 + all - scatter_blocks(n) : (uint64_t)n * levels;
        w.root_messages = w.rounds, w.root_blocks = w.sent_most = 2 * (n - 1);
    }
    return w;
}

static void equal(const char *what, uint64_t got, uint64_t want, const struct schedule *s)
{
    if (want != NOT_STATED && got != want)
        fail_msg("%s of %u ranks, root %u: %s %llu, want %llu", s->algorithm->name, s->procs, s->root, what,
                 (unsigned long long)got, (unsigned long long)want);
}

static void check_against_textbook(const struct schedule *s, const struct data_movement *got)
{
    struct data_movement want = textbook(s->algorithm, s->procs, s->region);
    equal("rounds moved", got->rounds, want.rounds, s);
    equal("rounds said", schedule_rounds(s), want.rounds, s);
    equal("steps at least", got->steps_least, want.steps_least, s);
    equal("steps at most", got->steps_most, want.steps_most, s);
    equal("messages", got->messages, want.messages, s);
    equal("blocks", got->blocks, want.blocks, s);
    equal("the root's messages", got->root_messages, want.root_messages, s);
    equal("the root's blocks", got->root_blocks, want.root_blocks, s);
    equal("blocks of one sender", got->sent_most, want.sent_most, s);
    equal("rotations", got->rotations, want.rotations, s);
    if (s->algorithm != &schedule_locality_bruck)
        return;
    equal("messages between regions", got->messages_between, want.messages_between, s);
    equal("blocks between regions", got->blocks_between, want.blocks_between, s);
    equal("messages of one sender between regions", got->between_most, want.between_most, s);
}

static void check_schedule(const struct schedule *s, const struct numbering *numbering)
{
    struct data_movement moved;
    const char *why = data_movement_run(s, numbering, &moved);
    if (why)
        fail_msg("%s of %u ranks, root %u, regions of %u%s: %s", s->algorithm->name, s->procs, s->root, s->region,
                 numbering ? ", renumbered" : "", why);
    check_against_textbook(s, &moved);
}

static void check(const struct schedule_algorithm *a, uint32_t n, uint32_t root, const struct numbering *numbering)
{
    struct schedule s;
    assert_int_equal(schedule_init(&s, a, n, root), 0);
    check_schedule(&s, numbering);
}

static struct numbering random_numbering(uint32_t n, uint32_t *virtual_of_rank, uint32_t *rank_of_virtual)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = random_below(i + 1);
        virtual_of_rank[i] = virtual_of_rank[j];
        virtual_of_rank[j] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        rank_of_virtual[virtual_of_rank[i]] = i;
    return (struct numbering){.virtual_of_rank = virtual_of_rank, .rank_of_virtual = rank_of_virtual};
}

static void test_all_sizes(void **state)
{
    (void)state;
    uint32_t virtual_of_rank[PROCS_MAX], rank_of_virtual[PROCS_MAX];
    unsigned checked = 0;
    for (uint32_t n = 1; n <= PROCS_MAX; n++)
        for (const struct schedule_algorithm *const *a = schedule_table; *a; a++) {
            int rooted = (*a)->kind != SCHEDULE_ALLGATHER;
            assert_int_equal(schedule_valid(*a, n), valid_by_definition(*a, n));
            if (!schedule_valid(*a, n))
                continue;
            struct numbering numbering = random_numbering(n, virtual_of_rank, rank_of_virtual);
            assert_int_equal(numbering_check(&numbering, n), 0);
            check(*a, n, 0, NULL);
            check(*a, n, rooted ? random_below(n) : 0, &numbering);
            if (rooted)
                check(*a, n, n - 1, NULL), check(*a, n, random_below(n), NULL);
            checked += rooted ? 4 : 2;
        }
    print_message("%u schedules, every rank and step\n", checked);
}

/* Every region that divides any number of ranks up to 300, and some larger ones with several stages, the last of them cut off. */
static void test_all_regions(void **state)
{
    static const uint32_t more[][2] = {{512, 8}, {520, 8}, {320, 4}, {1024, 4}, {776, 2}, {1040, 16}, {1000, 8}};
    uint32_t virtual_of_rank[PROCS_MAX], rank_of_virtual[PROCS_MAX];
    struct schedule s;
    (void)state;
    for (uint32_t n = 2; n <= PROCS_MAX; n++)
        for (uint32_t region = 2; n % region == 0; region *= 2) {
            struct numbering numbering = random_numbering(n, virtual_of_rank, rank_of_virtual);
            assert_int_equal(schedule_init_regions(&s, &schedule_locality_bruck, n, 0, region), 0);
            check_schedule(&s, NULL);
            if (n % 3 == 0)
                check_schedule(&s, &numbering);
        }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        assert_int_equal(schedule_init_regions(&s, &schedule_locality_bruck, more[i][0], 0, more[i][1]), 0);
        check_schedule(&s, NULL);
    }
}

/* The paper's example of 16 ranks, 4 a region: rank 5 gets the blocks of the next region, and of a node with more ranks than
 * regions only as many go out as there are others. */
static void test_regions_of_the_paper(void **state)
{
    (void)state;
    struct schedule s;
    struct schedule_step step;
    assert_int_equal(schedule_init_regions(&s, &schedule_locality_bruck, 16, 0, 4), 0);
    assert_int_equal(schedule_rounds(&s), 2 + 1 + 2);
    schedule_step(&s, 5, 2, &step);
    assert_int_equal(step.send_to, 1);
    assert_int_equal(step.receive_from, 9);
    assert_memory_equal(&step.send, &((struct schedule_blocks){4, 1, 4}), sizeof step.send);
    assert_memory_equal(&step.receive, &((struct schedule_blocks){8, 1, 4}), sizeof step.receive);
    assert_int_equal(schedule_region(64, 8), 8);
    assert_int_equal(schedule_region(60, 24), 4);
    assert_int_equal(schedule_region(63, 21), 1);
    assert_int_equal(schedule_region(24, 64), 8);
    assert_int_equal(schedule_init_regions(&s, &schedule_locality_bruck, 12, 0, 3), -EINVAL);
    assert_int_equal(schedule_init_regions(&s, &schedule_locality_bruck, 12, 0, 8), -EINVAL);
    assert_int_equal(schedule_init_regions(&s, &schedule_locality_bruck, 12, 0, 0), -EINVAL);
}

/* Every root of some sizes. */
static void test_all_roots(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 40; n++)
        for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
            for (uint32_t root = 0; (*a)->kind != SCHEDULE_ALLGATHER && schedule_valid(*a, n) && root < n; root++)
                check(*a, n, root, NULL);
}

/* Sparbit of 6 ranks and the neighbours' exchange of 6 as their authors print them. */
static void test_published(void **state)
{
    (void)state;
    const struct {
        const struct schedule_algorithm *algorithm;
        uint32_t rank, k, send_to, receive_from;
        struct schedule_blocks receive;
    } known[] = {
        {&schedule_sparbit, 0, 0, 4, 2, {2, 1, 1}},  {&schedule_sparbit, 5, 0, 3, 1, {1, 1, 1}},
        {&schedule_sparbit, 0, 1, 2, 4, {4, 1, 1}},  {&schedule_sparbit, 0, 2, 1, 5, {1, 2, 3}},
        {&schedule_neighbour_exchange, 0, 1, 5, 5, {4, 1, 2}}, {&schedule_neighbour_exchange, 1, 1, 2, 2, {2, 1, 2}},
        {&schedule_neighbour_exchange, 1, 2, 0, 0, {4, 1, 2}}, {&schedule_bruck, 2, 2, 4, 0, {0, 1, 2}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct schedule s;
        struct schedule_step step;
        assert_int_equal(schedule_init(&s, known[i].algorithm, 6, 0), 0);
        schedule_step(&s, known[i].rank, known[i].k, &step);
        assert_int_equal(step.send_to, known[i].send_to);
        assert_int_equal(step.receive_from, known[i].receive_from);
        assert_memory_equal(&step.receive, &known[i].receive, sizeof step.receive);
    }
}

/* Runs cover the blocks, each as far as it can. */
static void check_runs(const struct schedule *s, uint32_t rank, const struct schedule_blocks *b)
{
    for (uint32_t i = 0, run = 0; i < b->count; i += run) {
        run = schedule_run(s, rank, b, i);
        assert_true(run >= 1 && run <= b->count - i);
        uint32_t place = schedule_place(s, rank, schedule_block(s, b, i));
        for (uint32_t j = 1; j < run; j++)
            assert_int_equal(schedule_place(s, rank, schedule_block(s, b, i + j)), place + j);
        if (i + run < b->count)
            assert_int_not_equal(schedule_place(s, rank, schedule_block(s, b, i + run)), place + run);
    }
}

static void test_runs(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 33; n++)
        for (const struct schedule_algorithm *const *a = schedule_table; *a; a++) {
            struct schedule s;
            uint32_t root = (*a)->kind == SCHEDULE_ALLGATHER ? 0 : n / 2; /* so that some wrap around */
            for (uint32_t rank = 0; schedule_init(&s, *a, n, root) == 0 && rank < n; rank++)
                for (uint32_t k = 0; k < schedule_steps(&s, rank); k++) {
                    struct schedule_step step;
                    schedule_step(&s, rank, k, &step);
                    check_runs(&s, rank, &step.send);
                    check_runs(&s, rank, &step.receive);
                    if (*a == &schedule_bruck && step.op == SCHEDULE_EXCHANGE)
                        assert_int_equal(schedule_run(&s, rank, &step.receive, 0), step.receive.count);
                }
        }
}

static int checked(const uint32_t *there, const uint32_t *back)
{
    return numbering_check(&(struct numbering){.virtual_of_rank = there, .rank_of_virtual = back}, 3);
}

static void test_refusals(void **state)
{
    (void)state;
    struct schedule s = {.procs = 77};
    assert_int_equal(schedule_init(&s, &schedule_ring, 0, 0), -EINVAL);
    assert_int_equal(schedule_init(&s, &schedule_ring, SCHEDULE_PROCS_MAX + 1u, 0), -EINVAL);
    assert_int_equal(schedule_init(&s, &schedule_ring, 4, 1), -EINVAL);
    assert_int_equal(schedule_init(&s, &schedule_binomial, 4, 4), -EINVAL);
    assert_int_equal(schedule_init(&s, &schedule_recursive_doubling, 6, 0), -EINVAL);
    assert_int_equal(schedule_init(&s, &schedule_neighbour_exchange, 1, 0), -EINVAL);
    assert_int_equal(s.procs, 77);
    uint32_t there[] = {1, 2, 0}, back[] = {2, 0, 1}, twice[] = {1, 1, 0}, far[] = {1, 3, 0};
    assert_int_equal(numbering_check(NULL, 3), 0);
    assert_int_equal(checked(there, back), 0);
    assert_int_equal(checked(there, there), -EINVAL);
    assert_int_equal(checked(twice, back), -EINVAL);
    assert_int_equal(checked(far, back), -EINVAL);
}

static void test_names(void **state)
{
    (void)state;
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++) {
        assert_ptr_equal(schedule_find((*a)->kind, (*a)->name), *a);
        assert_true(!(*a)->valid == !(*a)->needs);
    }
    assert_ptr_equal(schedule_find(SCHEDULE_SCATTER, "binomial"), &schedule_binomial_scatter);
    assert_null(schedule_find(SCHEDULE_ALLGATHER, "binomial"));
    assert_null(schedule_find(SCHEDULE_ALLGATHER, ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_sizes), cmocka_unit_test(test_all_roots),
                                       cmocka_unit_test(test_all_regions), cmocka_unit_test(test_regions_of_the_paper),
                                       cmocka_unit_test(test_published), cmocka_unit_test(test_runs),
                                       cmocka_unit_test(test_refusals),  cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
