/* Random GOAL programs, without sharing, over shared links, and with several ranks a node that share its memory as well: nothing
 * is lost or early, no processor or NIC does two things at once, all is the same again. */
#include "memories_case.h"
#include "tests/model/cmocka_all.h"
#include "tests/sim/goal_case.h"

#include "model/formats/goal_read.h"
#include "sim/goal_run.h"
#include "sim/sim_random.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3000, SHARED_SEEDS = 1000, PPN = 3 };

struct ran {
    struct goal_program program;
    struct loggp network;
    struct sim_fabric *fabric;     /* NULL: nothing is shared */
    struct sim_memories *memories; /* NULL: a rank a node */
    uint32_t copy_class[2], nic_class;
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

/* Which of the two copies use memory, and how, is by the message's size. */
static int inside(void *context, uint32_t from, uint32_t to, uint64_t bytes, struct sim_cluster_cost *out)
{
    const struct ran *r = context;
    (void)from, (void)to;
    *out = (struct sim_cluster_cost){.send_ps = 200000 + 500 * bytes, .receive_ps = 100000 + 300 * bytes,
                                     .send_class = SIM_NO_CLASS, .receive_class = SIM_NO_CLASS};
    out->time_ps = out->send_ps + 150000;
    if (r->memories && bytes & 1)
        out->send_class = r->copy_class[bytes >> 2 & 1];
    if (r->memories && bytes & 2)
        out->receive_class = r->copy_class[bytes >> 3 & 1];
    return 0;
}

static uint32_t nic_class(void *context, uint32_t rank, int in)
{
    (void)rank, (void)in;
    return ((const struct ran *)context)->nic_class;
}

static int is_inside(const struct ran *r, uint32_t a, uint32_t b)
{
    return r->memories && a / PPN == b / PPN;
}

static int run_again(const struct ran *r, const struct goal_program *program, struct goal_outcome *out, char *reason,
                     size_t bytes)
{
    struct goal_network network = {.loggp = r->network, .fabric = r->fabric, .ppn = r->memories ? PPN : 1, .inside = inside,
                                   .memories = r->memories, .nic_class = nic_class, .context = (void *)(uintptr_t)r};
    return r->fabric ? goal_run_over(program, &network, 1, out, reason, bytes)
                     : goal_run(program, &r->network, 1, out, reason, bytes);
}

static uint64_t bytes_ps(const struct ran *r, uint64_t bytes)
{
    return bytes < 2 ? 0 : ((bytes - 1) * r->network.byte_fs + 500) / 1000;
}

/* Of a message alone: the sender's part, the receiver's, and from the beginning of the one to the end of the other. */
static struct sim_cluster_cost alone(const struct ran *r, uint32_t send)
{
    struct goal_task task = task_of(&r->program, send);
    uint32_t from = goal_program_rank_of(&r->program, send);
    struct sim_cluster_cost cost = {.send_ps = r->network.overhead_ps, .receive_ps = r->network.overhead_ps};
    if (is_inside(r, from, task.peer))
        inside((void *)(uintptr_t)r, from, task.peer, task.size, &cost);
    else
        cost.time_ps = 2 * r->network.overhead_ps + r->network.latency_ps + bytes_ps(r, task.size);
    return cost;
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

/* What leaves and enters nodes by their links is what their ranks send to others and receive from them. */
static void links_carry_what_is_sent(const struct ran *r)
{
    const struct goal_program *p = &r->program;
    uint32_t ppn = r->memories ? PPN : 1, nodes = (p->ranks - 1) / ppn + 1;
    for (uint32_t node = 0; node < nodes; node++) {
        uint64_t sent = 0, received = 0;
        for (uint32_t i = 0; i < p->tasks; i++) {
            struct goal_task task = task_of(p, i);
            uint32_t rank = goal_program_rank_of(p, i);
            if (task.kind != GOAL_SEND || is_inside(r, rank, task.peer))
                continue;
            sent += rank / ppn == node ? task.size : 0;
            received += task.peer / ppn == node ? task.size : 0;
        }
        check(r, r->fabric->link_bytes[node] == sent && r->fabric->link_bytes[nodes + node] == received);
    }
}

static void effects_follow_causes(const struct ran *r)
{
    const struct goal_program *p = &r->program;
    const struct goal_times *t = r->outcome.times;
    for (uint32_t i = 0; i < p->tasks; i++) {
        uint32_t rank = goal_program_rank_of(p, i), followers;
        check(r, t[i].begin_ps <= t[i].end_ps && t[i].end_ps <= r->outcome.time_ps);
        if (task_of(p, i).kind == GOAL_RECV) {
            struct sim_cluster_cost cost = alone(r, t[i].match);
            check(r, t[t[i].match].end_ps >= t[t[i].match].begin_ps + cost.send_ps);
            check(r, t[i].end_ps >= t[t[i].match].end_ps + cost.time_ps - cost.send_ps);
        }
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
        struct goal_task task = task_of(p, i);
        uint32_t rank = goal_program_rank_of(p, i);
        uint64_t from_ps = task.kind == GOAL_RECV ? t->end_ps - alone(r, t->match).receive_ps : t->begin_ps;
        cpu[cpus++] = (struct held){rank * 2 + task.cpu, from_ps, t->end_ps};
        if (task.kind == GOAL_SEND && !is_inside(r, rank, task.peer))
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
            if (task_of(p, i).kind != GOAL_RECV || goal_program_rank_of(p, i) * 2 + task_of(p, i).nic != unit ||
                is_inside(r, unit / 2, goal_program_rank_of(p, t[i].match)))
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

/* Nodes of several ranks, whose memory is a bottleneck for copies and NICs. */
static void holds_on_nodes(enum goal_case_kind kind)
{
    struct node node;
    struct sim_memories memories;
    memories_case_two_sockets(&node);
    assert_int_equal(sim_memories_create(&memories, &node, 3, SIM_CLUSTER_MEMORY_TARGETS), 0);
    struct ran on = {.memories = &memories, .copy_class = {memories_case_copy_class(&memories, 0, 0, 0),
                                                           memories_case_copy_class(&memories, 4, 1, 0)},
                     .nic_class = memories_case_nic_class(&memories, 9e9, 0)};
    for (uint64_t seed = 1; seed <= SHARED_SEEDS; seed++) {
        struct ran r = on;
        r.seed = seed;
        r.network = random_network(seed);
        goal_case_random(seed, kind, 1, &r.program);
        struct sim_fabric fabric = random_fabric(seed, &r.network, (r.program.ranks - 1) / PPN + 1);
        r.fabric = &fabric;
        holds_of(&r);
        sim_fabric_destroy(&fabric);
        goal_program_destroy(&r.program);
    }
    sim_memories_destroy(&memories);
    node_destroy(&node);
}

static void own_tags(void **state)
{
    (void)state;
    holds_on_all(GOAL_CASE_TAGS);
    holds_over_links(GOAL_CASE_TAGS);
    holds_on_nodes(GOAL_CASE_TAGS);
}

static void one_tag_in_order(void **state)
{
    (void)state;
    holds_on_all(GOAL_CASE_ORDERED);
    holds_over_links(GOAL_CASE_ORDERED);
    holds_on_nodes(GOAL_CASE_ORDERED);
}

static void from_any(void **state)
{
    (void)state;
    holds_on_all(GOAL_CASE_ANY);
    holds_over_links(GOAL_CASE_ANY);
    holds_on_nodes(GOAL_CASE_ANY);
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
