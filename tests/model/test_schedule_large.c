/* schedule at a million ranks: nothing allocated, any step at once, both ends of every exchange of one mind. */
#include "tests/model/cmocka_all.h"

#include "model/schedule.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Counts what the program allocates; the sanitizers have allocators of their own. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTING 0
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define COUNTING 0
#endif
#ifndef COUNTING
#define COUNTING 1
#endif

#if COUNTING
static unsigned long allocations;
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *malloc(size_t bytes)
{
    allocations++;
    return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes)
{
    allocations++;
    return __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes)
{
    allocations++;
    return __libc_realloc(old, bytes);
}
#endif

static const uint32_t sizes[] = {1 << 20, (1 << 20) - 1, 1000003, 786432, SCHEDULE_PROCS_MAX, SCHEDULE_PROCS_MAX - 1};
enum { SIZES = sizeof sizes / sizeof *sizes };

static uint64_t random_state = 20212;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 32) * limit >> 32);
}

/* 0, n - 1, what is near n/2, and any. */
static uint32_t chosen(uint32_t i, uint32_t n)
{
    return i == 0 ? 0 : i == 1 ? n - 1 : i < 5 ? n / 2 - 1 + (i - 2) : random_below(n);
}

/* The step of a rank in a round; rounds rise along its steps. 0 if it has none. */
static int step_in_round(const struct schedule *s, uint32_t rank, uint32_t round, struct schedule_step *out)
{
    uint32_t low = 0, high = schedule_steps(s, rank);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        schedule_step(s, rank, middle, out);
        if (out->round == round)
            return 1;
        if (out->round < round)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static void check_partners(const struct schedule *s, uint32_t rank, const struct schedule_step *step)
{
    struct schedule_step other;
    if (step->send_to != SCHEDULE_NONE) {
        assert_true(step->send_to < s->procs && step_in_round(s, step->send_to, step->round, &other));
        assert_int_equal(other.receive_from, rank);
        assert_memory_equal(&other.receive, &step->send, sizeof step->send);
    }
    if (step->receive_from != SCHEDULE_NONE) {
        assert_true(step->receive_from < s->procs && step_in_round(s, step->receive_from, step->round, &other));
        assert_int_equal(other.send_to, rank);
        assert_memory_equal(&other.send, &step->receive, sizeof step->receive);
    }
}

static void check_rank(const struct schedule *s, uint32_t rank)
{
    uint32_t steps = schedule_steps(s, rank), looks = steps < 64 ? steps : 64;
    assert_true(steps <= schedule_rounds(s));
    for (uint32_t i = 0; i < looks; i++) {
        struct schedule_step step;
        schedule_step(s, rank, looks == steps ? i : chosen(i, steps), &step);
        assert_true(step.round < schedule_rounds(s));
        check_partners(s, rank, &step);
    }
}

static void for_all(void (*check)(const struct schedule *s))
{
    for (int i = 0; i < SIZES; i++)
        for (const struct schedule_algorithm *const *a = schedule_table; *a; a++) {
            struct schedule s;
            if (schedule_valid(*a, sizes[i])) {
                uint32_t root = (*a)->kind == SCHEDULE_ALLGATHER ? 0 : random_below(sizes[i]);
                assert_int_equal(schedule_init(&s, *a, sizes[i], root), 0);
                check(&s);
            }
        }
}

static void check_some_ranks(const struct schedule *s)
{
    for (uint32_t i = 0; i < 400; i++)
        check_rank(s, chosen(i, s->procs));
}

static void test_partners(void **state)
{
    (void)state;
    for_all(check_some_ranks);
}

/* Where steps are few, what one rank gets in all of them; the rooted kinds end with the root's message. */
static void check_volume(const struct schedule *s)
{
    for (uint32_t i = 0; i < 400 && schedule_rounds(s) < 100; i++) {
        uint32_t rank = chosen(i, s->procs), steps = schedule_steps(s, rank);
        uint64_t blocks = 0, want = s->algorithm->kind == SCHEDULE_ALLGATHER ? s->procs - 1 : rank == s->root ? 0 : s->procs;
        for (uint32_t k = 0; k < steps; k++) {
            struct schedule_step step;
            schedule_step(s, rank, k, &step);
            blocks += step.receive.count;
        }
        assert_true(s->algorithm->kind == SCHEDULE_SCATTER ? blocks <= want : blocks == want);
    }
}

static void test_volume(void **state)
{
    (void)state;
    for_all(check_volume);
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Any step of any rank: some ns; even a walk through log2 n levels would show at this size, one through n would not end. */
static void check_speed(const struct schedule *s)
{
    enum { STEPS = 200000 };
    uint64_t sum = 0;
    double start_s = cpu_s();
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t rank = random_below(s->procs);
        struct schedule_step step;
        schedule_step(s, rank, random_below(schedule_steps(s, rank)), &step);
        sum += step.round + step.send.count;
    }
    double step_ns = (cpu_s() - start_s) / STEPS * 1e9;
    assert_true(sum > 0);
    if (s->procs == 1 << 20)
        print_message("%s of %u ranks: %.1f ns a step\n", s->algorithm->name, s->procs, step_ns);
    assert_true(step_ns < 50000);
}

static void test_speed(void **state)
{
    (void)state;
    for_all(check_speed);
}

static void check_quietly(const struct schedule *s)
{
    struct schedule_step step;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t rank = random_below(s->procs);
        schedule_step(s, rank, random_below(schedule_steps(s, rank)), &step);
    }
}

static void test_memory(void **state)
{
    (void)state;
    assert_true(sizeof(struct schedule) <= 32);
#if COUNTING
    free(malloc(1)); /* counted? */
    unsigned long before = allocations;
    assert_true(before > 0);
    for_all(check_quietly);
    assert_int_equal(allocations, before);
#else
    for_all(check_quietly);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_partners), cmocka_unit_test(test_volume),
                                       cmocka_unit_test(test_speed), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
