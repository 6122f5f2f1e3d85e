/* Random GOAL programs: nothing is lost or early, no processor or NIC does two things at once, all is the same again. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/goal_case.h"

#include "model/formats/goal_read.h"
#include "sim/goal_run.h"
#include "sim/sim_random.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3000 };

struct ran {
    struct goal_program program;
    struct loggp network;
    struct goal_outcome outcome;
    uint64_t seed;
};

#define check(ran, condition)                                                                                                    \
    do {                                                                                                                         \
        if (!(condition))                                                                                                        \
            fail_msg("seed %llu: %s", (unsigned long long)(ran)->seed, #condition);                                              \
    } while (0)

static struct loggp random_network(uint64_t seed)
{
    uint64_t state = ~seed;
    return (struct loggp){.latency_ps = sim_random_next(&state) % 3000000,
                                 .overhead_ps = sim_random_next(&state) % 2000000,
                                 .gap_ps = sim_random_next(&state) % 2000000,
                                 .receiver_gap_ps = sim_random_next(&state) % 2000000,
                                 .byte_fs = sim_random_next(&state) % 2000000};
}

static uint64_t bytes_ps(const struct ran *r, uint64_t bytes)
{
    return bytes < 2 ? 0 : ((bytes - 1) * r->network.byte_fs + 500) / 1000;
}

static void bytes_are_conserved(const struct ran *r)
{
    const struct goal_program *p = &r->program;
    uint64_t sent = 0, sends = 0;
    for (uint32_t i = 0; i < p->tasks; i++) {
        const struct goal_times *t = &r->outcome.times[i];
        check(r, t->end_ps != UINT64_MAX);
        if (p->task[i].kind == GOAL_CALC)
            continue;
        check(r, t->match < p->tasks && r->outcome.times[t->match].match == i);
        check(r, p->task[t->match].kind == (p->task[i].kind == GOAL_SEND ? GOAL_RECV : GOAL_SEND));
        sent += p->task[i].kind == GOAL_SEND ? p->task[i].size : 0;
        sends += p->task[i].kind == GOAL_SEND;
    }
    check(r, r->outcome.bytes == sent && r->outcome.messages == sends);
}

static void effects_follow_causes(const struct ran *r)
{
    const struct goal_program *p = &r->program;
    const struct goal_times *t = r->outcome.times;
    for (uint32_t i = 0; i < p->tasks; i++) {
        check(r, t[i].begin_ps <= t[i].end_ps && t[i].end_ps <= r->outcome.time_ps);
        if (p->task[i].kind == GOAL_RECV)
            check(r, t[i].end_ps >= t[t[i].match].begin_ps + 2 * r->network.overhead_ps + r->network.latency_ps +
                                        bytes_ps(r, p->task[t[i].match].size));
        for (uint32_t f = p->first_follower[i]; f < p->first_follower[i + 1]; f++)
            check(r, t[p->follower[f].task].begin_ps >= (p->follower[f].start ? t[i].begin_ps : t[i].end_ps));
    }
}

/* When a task has something for itself; 0 if it has not. */
struct held {
    uint32_t whose;
    uint64_t from_ps, to_ps;
};

static int compare_held(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    if (x->whose != y->whose)
        return x->whose < y->whose ? -1 : 1;
    if (x->from_ps != y->from_ps)
        return x->from_ps < y->from_ps ? -1 : 1;
    return (x->to_ps > y->to_ps) - (x->to_ps < y->to_ps);
}

static void held_once(const struct ran *r, struct held *held, uint32_t count)
{
    qsort(held, count, sizeof *held, compare_held);
    for (uint32_t i = 1; i < count; i++)
        check(r, held[i].whose != held[i - 1].whose || held[i].from_ps >= held[i - 1].to_ps);
}

static void nothing_is_used_twice(const struct ran *r)
{
    const struct goal_program *p = &r->program;
    struct held *cpu = calloc(p->tasks + 1, sizeof *cpu), *nic = calloc(p->tasks + 1, sizeof *nic);
    uint32_t cpus = 0, nics = 0;
    for (uint32_t i = 0; i < p->tasks; i++) {
        const struct goal_times *t = &r->outcome.times[i];
        uint32_t rank = goal_program_rank_of(p, i);
        uint64_t from_ps = p->task[i].kind == GOAL_RECV ? t->end_ps - r->network.overhead_ps : t->begin_ps;
        cpu[cpus++] = (struct held){rank * 2 + p->task[i].cpu, from_ps, t->end_ps};
        if (p->task[i].kind == GOAL_SEND)
            nic[nics++] = (struct held){rank * 2 + p->task[i].nic, from_ps,
                                        from_ps + r->network.gap_ps + bytes_ps(r, p->task[i].size)};
    }
    held_once(r, cpu, cpus);
    held_once(r, nic, nics);
    free(cpu);
    free(nic);
}

/* Bytes that come in by one NIC take their time one after the other, whatever the order: the last cannot be in before. */
static void incoming_bytes_take_turns(const struct ran *r)
{
    const struct goal_program *p = &r->program;
    for (uint32_t unit = 0; unit < 2 * p->ranks; unit++) {
        uint64_t first_ps = UINT64_MAX, last_ps = 0, total_ps = 0, count = 0;
        for (uint32_t i = 0; i < p->tasks; i++) {
            const struct goal_times *t = r->outcome.times;
            if (p->task[i].kind != GOAL_RECV || goal_program_rank_of(p, i) * 2 + p->task[i].nic != unit)
                continue;
            uint64_t come_ps = t[t[i].match].end_ps + r->network.latency_ps;
            first_ps = come_ps < first_ps ? come_ps : first_ps;
            last_ps = t[i].end_ps > last_ps ? t[i].end_ps : last_ps;
            total_ps += bytes_ps(r, p->task[t[i].match].size) + (count++ ? r->network.receiver_gap_ps : 0);
        }
        check(r, count == 0 || last_ps >= first_ps + total_ps);
    }
}

/* Every processor has an account of all its time until its last task has ended. */
static void time_adds_up(const struct ran *r)
{
    const struct goal_program *p = &r->program;
    for (uint32_t rank = 0; rank < p->ranks; rank++) {
        uint64_t end_ps[GOAL_UNITS_MAX] = {0}, total_ps = 0;
        for (uint32_t k = 0; k < p->of_rank[rank].count; k++) {
            uint32_t i = p->of_rank[rank].first + k, cpu = p->task[i].cpu;
            uint64_t task_ps = r->outcome.times[i].end_ps;
            end_ps[cpu] = task_ps > end_ps[cpu] ? task_ps : end_ps[cpu];
        }
        for (uint32_t cpu = 0; cpu < p->cpus; cpu++)
            total_ps += end_ps[cpu];
        const struct goal_spent *s = &r->outcome.spent[rank];
        check(r, s->busy_ps + s->wait_ps + s->network_ps + s->contention_ps == total_ps);
    }
}

static void comes_out_the_same_again(const struct ran *r)
{
    struct ran again = *r;
    char reason[300] = "", *text;
    size_t bytes;
    text = goal_case_format(&r->program, &bytes);
    if (goal_read("again", text, bytes, &again.program, reason, sizeof reason))
        fail_msg("seed %llu: %s", (unsigned long long)r->seed, reason);
    check(r, goal_run(&again.program, &r->network, 1, &again.outcome, reason, sizeof reason) == 0);
    check(r, again.program.tasks == r->program.tasks && again.program.needs == r->program.needs);
    check(r, again.outcome.time_ps == r->outcome.time_ps && again.outcome.events == r->outcome.events);
    check(r, memcmp(again.outcome.times, r->outcome.times, r->program.tasks * sizeof *r->outcome.times) == 0);
    goal_outcome_destroy(&again.outcome);
    goal_program_destroy(&again.program);
    free(text);
}

static void holds_on_all(enum goal_case_kind kind)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct ran r = {.seed = seed, .network = random_network(seed)};
        char reason[300] = "";
        goal_case_random(seed, kind, &r.program);
        if (goal_run(&r.program, &r.network, 1, &r.outcome, reason, sizeof reason))
            fail_msg("seed %llu: %s", (unsigned long long)seed, reason);
        bytes_are_conserved(&r);
        effects_follow_causes(&r);
        nothing_is_used_twice(&r);
        incoming_bytes_take_turns(&r);
        time_adds_up(&r);
        comes_out_the_same_again(&r);
        goal_outcome_destroy(&r.outcome);
        goal_program_destroy(&r.program);
    }
}

static void own_tags(void **state)
{
    (void)state;
    holds_on_all(GOAL_CASE_TAGS);
}

static void one_tag_in_order(void **state)
{
    (void)state;
    holds_on_all(GOAL_CASE_ORDERED);
}

static void from_any(void **state)
{
    (void)state;
    holds_on_all(GOAL_CASE_ANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_tags),
        cmocka_unit_test(one_tag_in_order),
        cmocka_unit_test(from_any),
    };
    return cmocka_run_group_tests_name("goal_random", tests, NULL, NULL);
}
