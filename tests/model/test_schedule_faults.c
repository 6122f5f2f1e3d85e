/* The definition of schedules notices what is wrong with one: sound algorithms, each spoilt in one place. */
#include "tests/model/cmocka_all.h"
#include "tests/model/data_movement.h"

#include <string.h>

enum { PROCS = 12 };

struct fault {
    const char *what;
    const struct schedule_algorithm *sound;
    void (*spoil)(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step);
    const char *complaint; /* part of what must be said */
    int steps_less;
};

static const struct fault *fault; /* the one under test */

static uint32_t faulty_steps(const struct schedule *s, uint32_t rank)
{
    return fault->sound->steps(s, rank) - (fault->steps_less && rank == 3);
}

static void faulty_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    fault->sound->step(s, rank, k, out);
    if (fault->spoil)
        fault->spoil(s, rank, k, out);
}

static void another_partner(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    if (rank == 3 && k == 1)
        step->send_to = (step->send_to + 1) % s->procs;
}

static void itself(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    (void)s;
    if (rank == 3 && k == 1)
        step->receive_from = rank;
}

static void another_block(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    if (rank == 3 && k == 1)
        step->receive.first = (step->receive.first + 1) % s->procs;
}

static void fewer_blocks(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    (void)s;
    if (rank == 3 && k == 1)
        step->send.count--;
}

static void same_again(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    if (k != 2)
        return;
    fault->sound->step(s, rank, 1, step);
    step->round = 2;
}

/* What comes in a step goes on in the same one. */
static void too_soon(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    (void)rank;
    if (k == 1) {
        step->send.first = (step->send.first + s->procs - 1) % s->procs;
        step->receive.first = (step->receive.first + s->procs - 1) % s->procs;
    }
}

static void another_round(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    (void)s;
    if (rank == 3 && k >= 1)
        step->round++;
}

static void same_round(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    (void)s, (void)rank;
    if (k == 1)
        step->round = 0;
}

static void idle(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    (void)s;
    if (rank == 3 && k == 1)
        *step = (struct schedule_step){.round = 1, .send_to = SCHEDULE_NONE, .receive_from = SCHEDULE_NONE};
}

static void wrong_shift(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    (void)s, (void)rank, (void)k;
    if (step->op == SCHEDULE_ROTATE)
        step->shift = step->shift % (PROCS - 1) + 1;
}

/* As sparbit would be if everyone sent all it has: a block comes twice. */
static void everything(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    (void)s, (void)rank;
    if (k == 1)
        for (int side = 0; side < 2; side++) {
            struct schedule_blocks *b = side ? &step->receive : &step->send;
            *b = (struct schedule_blocks){(b->first + 4) % PROCS, 8, 2};
        }
}

/* Everyone first receives from the left, and only then sends. */
static void nobody_begins(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *step)
{
    fault->sound->step(s, rank, k / 2, step);
    step->round = k;
    if (k % 2) {
        step->receive_from = SCHEDULE_NONE, step->receive.count = 0;
    } else {
        step->send_to = SCHEDULE_NONE, step->send.count = 0;
    }
}

static const struct fault faults[] = {
    {"sends to another", &schedule_ring, another_partner, "waits for ever", 0},
    {"receives from itself", &schedule_ring, itself, "partner 3", 0},
    {"expects another block", &schedule_ring, another_block, "expects another", 0},
    {"sends fewer blocks", &schedule_bruck, fewer_blocks, "who expects 2", 0},
    {"sends one block twice", &schedule_ring, same_again, "a second time", 0},
    {"sends what is only coming", &schedule_ring, too_soon, "does not have it", 0},
    {"calls a round another", &schedule_ring, another_round, "in round", 0},
    {"stays in a round", &schedule_ring, same_round, "goes from round 0 to 0", 0},
    {"idles", &schedule_ring, idle, "idles", 0},
    {"rotates too far", &schedule_bruck, wrong_shift, "in its place", 0},
    {"sends too much", &schedule_sparbit, everything, "a second time", 0},
    {"all wait to receive first", &schedule_ring, nobody_begins, "waits for ever", 0},
    {"stops a step early", &schedule_ring, NULL, "waits for ever", 1},
    {"does not rotate", &schedule_bruck, NULL, "in its place", 1},
    {"stops a step early, rooted", &schedule_binomial, NULL, "waits for ever", 1},
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        fault = &faults[i];
        struct schedule_algorithm algorithm = *fault->sound;
        algorithm.steps = faulty_steps;
        algorithm.step = faulty_step;
        struct schedule s;
        struct data_movement moved;
        assert_int_equal(schedule_init(&s, &algorithm, PROCS, 0), 0);
        const char *why = data_movement_run(&s, NULL, &moved);
        if (!why || !strstr(why, fault->complaint))
            fail_msg("%s: %s", fault->what, why ? why : "not noticed");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
