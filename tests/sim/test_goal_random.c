/* Random GOAL programs, without sharing and over shared links: nothing is lost or early, no processor or NIC does two things at
 * once, all is the same again. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/goal_case.h"

#include "model/formats/goal_read.h"
#include "sim/goal_run.h"
#include "sim/sim_random.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3000, SHARED_SEEDS = 1000 };

struct ran {
    struct goal_program program;
    struct loggp network;
    struct sim_fabric *fabric; /* NULL: nothing is shared */
    struct goal_outcome outcome;
    uint64_t seed;
};

#define check(ran, condition)                                                                                                    \
    do {                                                                                                                         \
        if (!(condition))                                                                                                        \
            fail_msg("seed %llu: %s", (unsigned long long)(ran)->seed, #condition);                                              \
    } while (0)

static struct goal_task task_of(const struct goal_program *p, uint32_t task)
{
    return goal_program_task(p, goal_program_rank_of(p, task), task);
}

static struct loggp random_network(uint64_t seed)
{
    uint64_t state = ~seed;
    return (struct loggp){.latency_ps = sim_random_next(&state) % 3000000,
                                 .overhead_ps = sim_random_next(&state) % 2000000,
                                 .gap_ps = sim_random_next(&state) % 2000000,
                                 .receiver_gap_ps = sim_random_next(&state) % 2000000,
                                 .byte_fs = sim_random_next(&state) % 2000000};
}

/* A switch, or a fat tree whose links are slower or faster than NICs. */
static struct sim_fabric random_fabric(uint64_t seed, const struct loggp *loggp, uint32_t nodes)
{
    uint64_t state = seed ^ 0xfab;
    struct network n = {.kind = seed % 3 ? NETWORK_FAT_TREE : NETWORK_SWITCH, .levels = 3, .radix = 4 + 2 * (uint32_t)(seed % 2)};
    struct sim_fabric fabric;
    char reason[200] = "";
    n.oversubscription = seed % 2 ? 2 : 1;
    n.latency_ns = quantity_of((double)loggp->latency_ps * 1e-3, "test");
    n.overhead_ns = quantity_of((double)loggp->overhead_ps * 1e-3, "test");
    n.gap_ns = quantity_of((double)loggp->gap_ps * 1e-3, "test");
    n.receiver_gap_ns = quantity_of((double)loggp->receiver_gap_ps * 1e-3, "test");
    n.byte_ns = quantity_of((double)loggp->byte_fs * 1e-6, "test");
    n.link_byte_ns = quantity_of((double)(sim_random_next(&state) % 4000000) * 1e-6, "test");
    n.switch_ns = quantity_of((double)(sim_random_next(&state) % 500000) * 1e-3, "test");
    if (sim_fabric_create(&fabric, &n, nodes, reason, sizeof reason))
        fail_msg("seed %llu: %s", (unsigned long long)seed, reason);
    assert_memory_equal(&fabric.nic, loggp, sizeof *loggp);
    return fabric;
}

static int run_again(const struct ran *r, const struct goal_program *program, struct goal_outcome *out, char *reason,
                     size_t bytes)
{
    struct goal_network network = {.loggp = r->network, .fabric = r->fabric};
    return r->fabric ? goal_run_over(program, &network, 1, out, reason, bytes)
                     : goal_run(program, &r->network, 1, out, reason, bytes);
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
        if (task_of(p, i).kind == GOAL_CALC)
            continue;
        check(r, t->match < p->tasks && r->outcome.times[t->match].match == i);
        check(r, task_of(p, t->match).kind == (task_of(p, i).kind == GOAL_SEND ? GOAL_RECV : GOAL_SEND));
        sent += task_of(p, i).kind == GOAL_SEND ? task_of(p, i).size : 0;
        sends += task_of(p, i).kind == GOAL_SEND;
    }
    check(r, r->outcome.bytes == sent && r->outcome.messages == sends);
}

/* What leaves and enters nodes by their links is what their ranks send and receive. */
static void links_carry_what_is_sent(const struct ran *r)
{
    const struct goal_program *p = &r->program;
    for (uint32_t rank = 0; rank < p->ranks; rank++) {
        uint64_t sent = 0, received = 0;
        for (uint32_t i = 0; i < p->tasks; i++) {
            sent += task_of(p, i).kind == GOAL_SEND && goal_program_rank_of(p, i) == rank ? task_of(p, i).size : 0;
            received += task_of(p, i).kind == GOAL_SEND && task_of(p, i).peer == rank ? task_of(p, i).size : 0;
        }
        check(r, r->fabric->link_bytes[rank] == sent && r->fabric->link_bytes[p->ranks + rank] == received);
    }
}

static void effects_follow_causes(const struct ran *r)
{
    const struct goal_program *p = &r->program;
    const struct goal_times *t = r->outcome.times;
    for (uint32_t i = 0; i < p->tasks; i++) {
        check(r, t[i].begin_ps <= t[i].end_ps && t[i].end_ps <= r->outcome.time_ps);
        if (task_of(p, i).kind == GOAL_RECV)
            check(r, t[i].end_ps >= t[t[i].match].begin_ps + 2 * r->network.overhead_ps + r->network.latency_ps +
                                        bytes_ps(r, task_of(p, t[i].match).size));
        uint32_t rank = goal_program_rank_of(p, i), followers;
        const struct goal_follower *follower = goal_program_followers(p, rank, i, &followers);
        for (uint32_t f = 0; f < followers; f++)
            check(r, t[p->of_rank[rank].first + follower[f].task].begin_ps >= (follower[f].start ? t[i].begin_ps : t[i].end_ps));
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
        uint64_t from_ps = task_of(p, i).kind == GOAL_RECV ? t->end_ps - r->network.overhead_ps : t->begin_ps;
        cpu[cpus++] = (struct held){rank * 2 + task_of(p, i).cpu, from_ps, t->end_ps};
        if (task_of(p, i).kind == GOAL_SEND)
            nic[nics++] = (struct held){rank * 2 + task_of(p, i).nic, from_ps,
                                        from_ps + r->network.gap_ps + bytes_ps(r, task_of(p, i).size)};
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
            if (task_of(p, i).kind != GOAL_RECV || goal_program_rank_of(p, i) * 2 + task_of(p, i).nic != unit)
                continue;
            uint64_t come_ps = t[t[i].match].end_ps + r->network.latency_ps;
            first_ps = come_ps < first_ps ? come_ps : first_ps;
            last_ps = t[i].end_ps > last_ps ? t[i].end_ps : last_ps;
            total_ps += bytes_ps(r, task_of(p, t[i].match).size) + (count++ ? r->network.receiver_gap_ps : 0);
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
            uint32_t i = p->of_rank[rank].first + k, cpu = task_of(p, i).cpu;
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
    check(r, run_again(r, &again.program, &again.outcome, reason, sizeof reason) == 0);
    check(r, again.program.tasks == r->program.tasks && again.program.needs == r->program.needs);
    check(r, again.outcome.time_ps == r->outcome.time_ps && again.outcome.events == r->outcome.events);
    check(r, memcmp(again.outcome.times, r->outcome.times, r->program.tasks * sizeof *r->outcome.times) == 0);
    goal_outcome_destroy(&again.outcome);
    goal_program_destroy(&again.program);
    free(text);
}

static void holds_of(struct ran *r)
{
    char reason[300] = "";
    if (run_again(r, &r->program, &r->outcome, reason, sizeof reason))
        fail_msg("seed %llu: %s", (unsigned long long)r->seed, reason);
    bytes_are_conserved(r);
    if (r->fabric)
        links_carry_what_is_sent(r);
    effects_follow_causes(r);
    nothing_is_used_twice(r);
    incoming_bytes_take_turns(r);
    time_adds_up(r);
    comes_out_the_same_again(r);
    goal_outcome_destroy(&r->outcome);
}

static void holds_on_all(enum goal_case_kind kind)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct ran r = {.seed = seed, .network = random_network(seed)};
        goal_case_random(seed, kind, 2, &r.program);
        holds_of(&r);
        goal_program_destroy(&r.program);
    }
}

/* Of ranks with one NIC. */
static void holds_over_links(enum goal_case_kind kind)
{
    for (uint64_t seed = 1; seed <= SHARED_SEEDS; seed++) {
        struct ran r = {.seed = seed, .network = random_network(seed)};
        goal_case_random(seed, kind, 1, &r.program);
        struct sim_fabric fabric = random_fabric(seed, &r.network, r.program.ranks);
        r.fabric = &fabric;
        holds_of(&r);
        sim_fabric_destroy(&fabric);
        goal_program_destroy(&r.program);
    }
}

static void own_tags(void **state)
{
    (void)state;
    holds_on_all(GOAL_CASE_TAGS);
    holds_over_links(GOAL_CASE_TAGS);
}

static void one_tag_in_order(void **state)
{
    (void)state;
    holds_on_all(GOAL_CASE_ORDERED);
    holds_over_links(GOAL_CASE_ORDERED);
}

static void from_any(void **state)
{
    (void)state;
    holds_on_all(GOAL_CASE_ANY);
    holds_over_links(GOAL_CASE_ANY);
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
