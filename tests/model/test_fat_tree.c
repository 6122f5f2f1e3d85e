/* Fat trees: a message's links lead from switch to switch, no two links have a number, and a shift meets nothing in a full
 * tree. */
#include "tests/model/cmocka_all.h"

#include "model/fat_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct fat_tree tree_of(uint32_t levels, uint32_t radix, double oversubscription, uint32_t nodes)
{
    struct fat_tree tree;
    int err = fat_tree_init(levels, radix, oversubscription, nodes, &tree);
    if (err)
        fail_msg("%u levels of %u, oversubscribed %g, %u nodes: %d", levels, radix, oversubscription, nodes, err);
    return tree;
}

/* A link by its ends: a node or switch of a level is that one of the switches above or below the nodes it has below it. */
struct ends {
    uint32_t level, below, lower, upper, up;
};

static struct ends ends_of(const struct fat_tree *t, uint32_t from, uint32_t to, uint32_t turn, uint32_t hop)
{
    uint32_t up = hop < turn, level = up ? hop : 2 * turn - 1 - hop;
    return (struct ends){level, (up ? from : to) / t->below[level], to % t->ways[level], to % t->ways[level + 1], up};
}

static void check_tree(const struct fat_tree *t)
{
    struct ends *known = calloc(t->links, sizeof *known);
    unsigned char *seen = calloc(t->links, 1);
    for (uint32_t from = 0; from < t->nodes; from++)
        for (uint32_t to = 0; to < t->nodes; to++) {
            uint32_t turn = fat_tree_turn(t, from, to);
            assert_true(from / t->below[turn] == to / t->below[turn]);
            assert_true(turn == 1 || from / t->below[turn - 1] != to / t->below[turn - 1]);
            for (uint32_t hop = 0; hop < 2 * turn; hop++) {
                struct ends ends = ends_of(t, from, to, turn, hop);
                uint32_t link = fat_tree_link(t, from, to, turn, hop);
                assert_true(link < t->links);
                assert_true(!seen[link] || memcmp(&known[link], &ends, sizeof ends) == 0);
                /* A switch has so many ways up, and those below one another's way up are its own. */
                assert_true(ends.upper % t->ways[ends.level] == ends.lower);
                assert_true(t->ways[ends.level + 1] == t->ways[ends.level] * (ends.level ? t->up[ends.level - 1] : 1));
                seen[link] = 1;
                known[link] = ends;
            }
            assert_int_equal(fat_tree_link(t, from, to, turn, 0), from);
            assert_int_equal(fat_tree_link(t, from, to, turn, 2 * turn - 1), t->nodes + to);
        }
    free(known);
    free(seen);
}

static void links_join_switches(void **state)
{
    (void)state;
    static const struct {
        uint32_t levels, radix;
        double oversubscription;
        uint32_t nodes;
    } cases[] = {{1, 8, 1, 8},  {2, 8, 1, 32},   {2, 8, 3, 37}, {2, 9, 8, 60},
                 {3, 6, 1, 54}, {3, 5, 1.5, 29}, {4, 4, 1, 32}, {4, 6, 2, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fat_tree t = tree_of(cases[i].levels, cases[i].radix, cases[i].oversubscription, cases[i].nodes);
        check_tree(&t);
    }
    struct fat_tree one;
    assert_int_equal(fat_tree_switch(77, &one), 0);
    assert_int_equal(one.links, 2 * 77);
    check_tree(&one);
}

/* Everyone to who is so far on, in trees that are full: no link is taken twice. */
static void shifts_meet_nothing(void **state)
{
    (void)state;
    static const uint32_t shapes[][2] = {{2, 8}, {3, 6}, {3, 4}, {4, 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        uint32_t nodes = fat_tree_room(shapes[i][0], shapes[i][1], 1);
        struct fat_tree t = tree_of(shapes[i][0], shapes[i][1], 1, nodes);
        unsigned char *taken = malloc(t.links);
        for (uint32_t shift = 1; shift < nodes; shift++) {
            memset(taken, 0, t.links);
            for (uint32_t from = 0; from < nodes; from++) {
                uint32_t to = (from + shift) % nodes, turn = fat_tree_turn(&t, from, to);
                for (uint32_t hop = 0; hop < 2 * turn; hop++)
                    assert_false(taken[fat_tree_link(&t, from, to, turn, hop)]++);
            }
        }
        free(taken);
    }
}

/* What those who build them say. */
static void rooms_are_known(void **state)
{
    (void)state;
    assert_int_equal(fat_tree_room(1, 36, 1), 36);
    assert_int_equal(fat_tree_room(2, 36, 1), 648);
    assert_int_equal(fat_tree_room(3, 36, 1), 11664);
    assert_int_equal(fat_tree_room(3, 40, 1), 16000);
    assert_int_equal(fat_tree_room(2, 36, 2), 24 * 36);
    assert_int_equal(fat_tree_room(2, 2, 4), 0); /* both ports down */
    assert_int_equal(fat_tree_room(5, 8, 1), 0);
    assert_int_equal(fat_tree_room(2, 8, 0.5), 0);
    assert_int_equal(fat_tree_room(4, 4096, 1), UINT32_MAX);
}

static void impossible_trees_are_refused(void **state)
{
    (void)state;
    struct fat_tree t;
    assert_int_equal(fat_tree_init(2, 36, 1, 649, &t), -ENOSPC);
    assert_int_equal(fat_tree_init(2, 36, 1, 0, &t), -EINVAL);
    assert_int_equal(fat_tree_init(0, 36, 1, 1, &t), -EINVAL);
    assert_int_equal(fat_tree_init(2, 1, 1, 1, &t), -EINVAL);
    assert_int_equal(fat_tree_init(4, 4096, 1, 100, &t), -EINVAL); /* too many ways up to count */
    assert_int_equal(fat_tree_switch(0, &t), -EINVAL);
    assert_int_equal(fat_tree_switch(UINT32_MAX, &t), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_join_switches),
        cmocka_unit_test(shifts_meet_nothing),
        cmocka_unit_test(rooms_are_known),
        cmocka_unit_test(impossible_trees_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
