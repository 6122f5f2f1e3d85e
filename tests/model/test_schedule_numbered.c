/* Allgathers under a numbering: exchanged beforehand or reordered in the end, every rank and step; what a rank has to know of it;
 * and how blocks are moved in place. */
#include "tests/model/cmocka_all.h"
#include "tests/model/data_movement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PROCS_MAX = 130 };

static uint32_t random_state = 4711, to_virtual[PROCS_MAX], to_rank[PROCS_MAX];

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)random_state * limit >> 32);
}

static struct numbering draw(uint32_t n, enum numbering_remap remap)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = random_below(4) ? random_below(i + 1) : i; /* some stay */
        to_virtual[i] = to_virtual[j];
        to_virtual[j] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        to_rank[to_virtual[i]] = i;
    return (struct numbering){.virtual_of_rank = to_virtual, .rank_of_virtual = to_rank, .remap = remap};
}

static uint32_t displaced(uint32_t n)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < n; i++)
        moved += to_virtual[i] != i;
    return moved;
}

static void check(const struct schedule_algorithm *a, uint32_t n, enum numbering_remap remap)
{
    struct schedule s;
    struct data_movement plain, moved;
    struct numbering numbering = draw(n, remap);
    int exch = remap == NUMBERING_EXCH;
    assert_int_equal(schedule_init(&s, a, n, 0), 0);
    assert_null(data_movement_run(&s, NULL, &plain));
    const char *why = data_movement_run(&s, &numbering, &moved);
    if (why)
        fail_msg("%s of %u ranks, %s: %s", a->name, n, numbering_remap_name(remap), why);
    assert_int_equal(moved.messages, plain.messages + (exch ? displaced(n) : 0));
    assert_int_equal(moved.blocks, plain.blocks + (exch ? displaced(n) : 0));
    assert_int_equal(moved.rotations, exch ? plain.rotations : 0);
    assert_int_equal(moved.permutations, exch ? 0 : n);
    assert_true(moved.rounds <= schedule_rounds_numbered(&s, &numbering));
    assert_int_equal(schedule_rounds_numbered(&s, &numbering), schedule_rounds(&s) + 1);
}

static void every_algorithm_moves_the_data(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= PROCS_MAX; n++)
        for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
            for (int i = 0; i < 4 && (*a)->kind == SCHEDULE_ALLGATHER && schedule_valid(*a, n); i++)
                check(*a, n, i % 2 ? NUMBERING_EXCH : NUMBERING_REORDER);
}

/* A rank that knows its neighbours only takes the same steps, and of a million ranks these are few. */
static void neighbours_are_enough(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= PROCS_MAX; n++)
        for (const struct schedule_algorithm *const *a = schedule_table; *a; a++) {
            struct schedule s;
            if ((*a)->kind != SCHEDULE_ALLGATHER || schedule_init(&s, *a, n, 0))
                continue;
            struct numbering all = draw(n, n % 3 ? NUMBERING_EXCH : NUMBERING_PLACED);
            for (uint32_t rank = 0; rank < n; rank++) {
                struct numbering_neighbours own;
                struct numbering few = {.remap = all.remap, .neighbours = &own};
                struct schedule_step want, got;
                assert_int_equal(schedule_neighbours(&s, &all, rank, &own), 0);
                assert_true(own.count <= 2 * s.levels + 3);
                assert_int_equal(schedule_steps_numbered(&s, &few, rank), schedule_steps_numbered(&s, &all, rank));
                for (uint32_t k = 0; k < schedule_steps_numbered(&s, &all, rank); k++) {
                    schedule_step_numbered(&s, &all, rank, k, &want);
                    schedule_step_numbered(&s, &few, rank, k, &got);
                    assert_memory_equal(&got, &want, sizeof got);
                }
            }
        }
}

static void a_step_is_what_the_source_says(void **state)
{
    /* 0 plays 2, 1 plays 0, 2 plays 3, 3 plays 1. */
    static const uint32_t there[] = {2, 0, 3, 1}, back[] = {1, 3, 0, 2};
    struct numbering n = {.virtual_of_rank = there, .rank_of_virtual = back, .remap = NUMBERING_EXCH};
    struct schedule s;
    struct schedule_step step;
    (void)state;
    assert_int_equal(schedule_init(&s, &schedule_recursive_doubling, 4, 0), 0);
    schedule_step_numbered(&s, &n, 0, 0, &step); /* to pi^-1(0), from pi(0) */
    assert_int_equal(step.send_to, 1);
    assert_int_equal(step.receive_from, 2);
    schedule_step_numbered(&s, &n, 0, 1, &step); /* pi^-1(2 xor 1) */
    assert_int_equal(step.send_to, 2);
    assert_int_equal(step.round, 1);
    assert_int_equal(step.send.first, 2);
    n.remap = NUMBERING_REORDER;
    assert_int_equal(schedule_init(&s, &schedule_bruck, 4, 0), 0);
    assert_int_equal(schedule_steps_numbered(&s, &n, 0), 3);
    schedule_step_numbered(&s, &n, 0, 0, &step); /* pi^-1(2 - 1), pi^-1(2 + 1) */
    assert_int_equal(step.send_to, 3);
    assert_int_equal(step.receive_from, 2);
    schedule_step_numbered(&s, &n, 0, 2, &step); /* place j to pi^-1(j + 2) */
    assert_int_equal(step.op, SCHEDULE_PERMUTE);
    assert_int_equal(step.shift, 2);
    assert_int_equal(numbering_moved_place(&n, 4, step.shift, 0), 0);
    assert_int_equal(numbering_moved_place(&n, 4, step.shift, 1), 2);
    assert_int_equal(numbering_moved_place(&n, 4, step.shift, 2), 1);
    assert_int_equal(numbering_moved_from(&n, 4, step.shift, 1), 2);
}

/* Leaders and moves against a walk that marks where it was. */
static void cycles_are_counted(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= PROCS_MAX; n++) {
        struct numbering numbering = draw(n, NUMBERING_REORDER);
        uint32_t shift = random_below(n);
        uint64_t moves = 0;
        char seen[PROCS_MAX] = {0};
        for (uint32_t j = 0; j < n; j++) {
            uint32_t length = 0;
            assert_int_equal(numbering_cycle_leader(&numbering, n, shift, j), !seen[j]);
            for (uint32_t at = j; !seen[at]; at = to_rank[(at + shift) % n], length++)
                seen[at] = 1;
            moves += length > 1 ? length + 1 : 0;
        }
        assert_int_equal(numbering_moves(&numbering, n, shift), moves);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_moves_the_data),
        cmocka_unit_test(neighbours_are_enough),
        cmocka_unit_test(a_step_is_what_the_source_says),
        cmocka_unit_test(cycles_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
