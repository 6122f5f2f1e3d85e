/* The static credits of the exclusive ring, under all interleavings of small cases, and mutants of them. */
#include "tests/interleavings/ring_toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { STATES_MAX = 30000000 };

static int verbose;

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define RING(n, wrap) .units = n, .position = UINT32_MAX - wrap

/* Three laps and more; some positions wrap on the way. */
static const struct ring_case cases[] = {
    {"one way, units", RING(4, 5), .length = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}},
    {"one way, long", RING(4, 6), .length = {{3, 2, 3, 1, 2, 3}}},
    {"one way, larger ring", RING(8, 9), .length = {{3, 1, 4, 2, 5, 1, 3, 6, 2}}},
    {"the whole ring", RING(4, 3), .length = {{3, 3, 3, 3, 3}}},
    {"both ways, units", RING(2, 2), .length = {{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}}},
    {"both ways, long", RING(4, 4), .length = {{3, 2, 3, 1, 3}, {1, 3, 2, 2, 3}}},
    {"both ways, larger ring", RING(8, 10), .length = {{3, 4, 1, 5, 2, 6}, {5, 1, 4, 3, 6}}},
    {"answers", RING(8, 7), .length = {{5, 5, 5, 5, 5}, {1, 1, 1, 1}}},
    {"far from the wrap", .units = 8, .position = 77, .length = {{4, 3, 5, 4, 2}, {2, 5, 4, 6}}},
};

static uint32_t room_of_one_more(const struct er_sender *s)
{
    return er_room(s) + 1;
}

static void hear_counts_twice(struct er_sender *s, uint32_t consumed)
{
    uint32_t before = s->consumed;
    er_hear(s, consumed);
    s->consumed += s->consumed - before;
}

static void hear_believes_the_last(struct er_sender *s, uint32_t consumed)
{
    s->consumed = consumed;
}

static void hear_cannot_wrap(struct er_sender *s, uint32_t consumed)
{
    if (consumed > s->consumed)
        er_hear(s, consumed);
}

static int false_stamp_never(const struct er_sender *s, uint32_t units, uint32_t word)
{
    (void)s;
    (void)units;
    (void)word;
    return 0;
}

static int false_stamp_of_the_next_lap(const struct er_sender *s, uint32_t units, uint32_t word)
{
    return word == er_stamp(s->at + units + s->units);
}

static void consume_one_only(struct er_receiver *r, uint32_t units)
{
    (void)units;
    r->at++;
}

static int due_never(const struct er_receiver *r)
{
    (void)r;
    return 0;
}

static int due_when_all_is_owed(const struct er_receiver *r)
{
    return r->at - r->told == r->units - 1;
}

static uint32_t tell_of_the_next(struct er_receiver *r)
{
    return er_tell(r) + 1;
}

struct ring_mutant {
    struct ring_rules rules; /* what is other than right; .name says what was done */
    enum ring_violation violation;
};

static const struct ring_mutant mutants[] = {
    {{.name = "one unit too many", .room = room_of_one_more}, RING_UNSOUND},
    {{.name = "returns counted twice", .hear = hear_counts_twice}, RING_UNSOUND},
    {{.name = "an old total believed", .hear = hear_believes_the_last}, RING_UNSOUND},
    {{.name = "totals cannot wrap", .hear = hear_cannot_wrap}, RING_DEADLOCK},
    {{.name = "stamps not cleared", .false_stamp = false_stamp_never}, RING_FALSE},
    {{.name = "stamps of the wrong lap cleared", .false_stamp = false_stamp_of_the_next_lap}, RING_FALSE},
    {{.name = "a message is one unit", .consume = consume_one_only}, RING_DEADLOCK},
    {{.name = "no active return", .due = due_never}, RING_DEADLOCK},
    {{.name = "returned when all is owed", .due = due_when_all_is_owed}, RING_DEADLOCK},
    {{.name = "told of one too many", .tell = tell_of_the_next}, RING_UNSOUND},
    {{.name = "stamp before payload", .stamp_first = 1}, RING_TORN},
    {{.name = "stamps cleared too late", .clears_late = 1}, RING_FALSE},
    {{.name = "given back before it is read", .returns_unread = 1}, RING_OVERWRITTEN},
    {{.name = "the word is not looked at", .word_unread = 1}, RING_DEADLOCK},
};

static struct ring_rules rules_of(const struct ring_mutant *mutant)
{
    struct ring_rules rules = mutant->rules;
    const struct ring_rules *right = &ring_rules_right;
    rules.room = rules.room ? rules.room : right->room;
    rules.hear = rules.hear ? rules.hear : right->hear;
    rules.false_stamp = rules.false_stamp ? rules.false_stamp : right->false_stamp;
    rules.consume = rules.consume ? rules.consume : right->consume;
    rules.due = rules.due ? rules.due : right->due;
    rules.tell = rules.tell ? rules.tell : right->tell;
    return rules;
}

static void print_row(const struct ring_rules *rules, const struct ring_case *c, const struct state_result *r)
{
    printf("%-32s %-24s %2u %9llu %11llu %5llu  %s\n", rules->name, c->name, c->units, (unsigned long long)r->states,
           (unsigned long long)r->transitions, (unsigned long long)r->depth, ring_violation_string(r->violation));
}

static void rings_hold(void **state)
{
    (void)state;
    printf("%-32s %-24s %2s %9s %11s %5s  %s\n", "rules", "case", "u", "states", "transitions", "depth", "result");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct state_result r;
        assert_int_equal(ring_explore(&cases[i], &ring_rules_right, STATES_MAX, &r), 0);
        print_row(&ring_rules_right, &cases[i], &r);
        if (r.violation)
            printf("    %s\n", r.history);
        assert_int_equal(r.violation, RING_OK);
        assert_true(r.ends >= 1);
    }
}

static int mutant_caught(const struct ring_mutant *mutant)
{
    struct ring_rules rules = rules_of(mutant);
    struct state_result r = {0};
    size_t i = 0;
    for (; i < COUNT(cases) && !r.violation; i++)
        assert_int_equal(ring_explore(&cases[i], &rules, STATES_MAX, &r), 0);
    print_row(&rules, &cases[i - 1], &r);
    if (verbose)
        printf("    %s\n", r.history);
    return r.violation == mutant->violation;
}

static void mutants_are_caught(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < COUNT(mutants); i++)
        wrong += !mutant_caught(&mutants[i]);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    verbose = argc > 1 && strcmp(argv[1], "verbose") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_hold),
        cmocka_unit_test(mutants_are_caught),
    };
    return cmocka_run_group_tests_name("interleavings of the exclusive ring", tests, NULL, NULL);
}
