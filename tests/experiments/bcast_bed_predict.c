#include "tests/experiments/bcast_bed.h"
#include "tests/model/cmocka_all.h"

#include "sim/sim_calls.h"
#include "sim/sim_pairs.h"

#include <math.h>

enum { SINGLE_COPY_BYTES = 16384, LONG = 18 /* 2^18: pairs copy once too */ };

double bcast_third_s(const struct bcast_bed *b, unsigned far)
{
    return b->pair_s[far][0] / 3;
}

/* What a call of a broadcast takes more than one of a send. In the loop of two ranks the receiver begins earlier than the root by
 * a message's way, so that their calls together take 2 calls, 2 sends, 2 ways and 1 receive. */
static double call_s(const struct bcast_bed *b, unsigned far)
{
    return fmax(bcast_two_ranks_s(b, far, 0) - b->pair_s[far][0] + bcast_third_s(b, far) / 2, 0);
}

/* Two ranks tell a longer message's receiver from its sender by the same sum. */
static struct sim_call_cost cost_of(const struct bcast_bed *b, unsigned far, unsigned i)
{
    double way_s = bcast_third_s(b, far), pair_s = b->pair_s[far][i];
    double receive_s = fmax(2 * (pair_s - bcast_two_ranks_s(b, far, i) + call_s(b, far)), way_s);
    double send_s = fmax(pair_s - way_s - receive_s, way_s);
    return (struct sim_call_cost){(uint64_t)(send_s * 1e12), (uint64_t)(way_s * 1e12), (uint64_t)(receive_s * 1e12)};
}

/* A single copy of 2^i bytes of the root's, which nobody has written since the last one: broadcasts to one other rank. */
static struct sim_pair pair_of(const struct bcast_bed *b, unsigned far, unsigned i)
{
    double send_s = fmax(2 * bcast_two_ranks_s(b, NEAR, 0) - b->pair_s[NEAR][0], 20e-9);
    double bytes_s = (b->pair_s[far][LONG + 1] - b->pair_s[far][LONG]) / (1 << LONG) * (1u << i);
    double begin_s = bcast_two_ranks_s(b, far, i) - bytes_s;
    assert_true(begin_s > 0);
    return (struct sim_pair){(uint64_t)(send_s * 1e12), (uint64_t)(begin_s * 1e12), (uint64_t)(bytes_s * 1e12)};
}

/* What it takes more to read lines that another rank has just written, or to write those that another has read. Messages through
 * a queue do both, line by line: assumed half each. */
static double line_by_line_s(const struct bcast_bed *b, unsigned far, unsigned i)
{
    return (b->pair_s[far][17] - b->pair_s[far][16]) / (1 << 16) * (1u << i) / 2;
}

/* What the one other rank gains at 16 KiB, since the root's message and its own copy fit together in its first cache, 32 KiB:
 * below the line through 32 and 64 KiB. Who reads what has just been written does not find it there. */
static double first_cache_s(const struct bcast_bed *b, unsigned far, unsigned i)
{
    double more_s = 1.5 * bcast_two_ranks_s(b, far, 15) - 0.5 * bcast_two_ranks_s(b, far, 16);
    return i == 14 ? more_s - bcast_two_ranks_s(b, far, 14) : 0;
}

/* Ranks by core fill a socket first, by socket they take turns. */
static unsigned socket_of(unsigned mapping, unsigned rank)
{
    return mapping ? rank % 2 : rank / HALF;
}

static unsigned far_of(unsigned mapping, unsigned rank, unsigned other)
{
    return socket_of(mapping, rank) != socket_of(mapping, other);
}

/* A rank's copy of the last message is in the caches of those it sent that to: they lose it, all at once. */
static double take_back_s(const struct bcast_bed *b, const struct schedule *schedule, unsigned mapping, uint32_t rank,
                          unsigned i)
{
    double most_s = 0;
    for (uint32_t k = rank != schedule->root; k < schedule_steps(schedule, rank); k++) {
        struct schedule_step step;
        schedule_step(schedule, rank, k, &step);
        most_s = fmax(most_s, line_by_line_s(b, far_of(mapping, rank, step.send_to), i));
    }
    return most_s;
}

static double predict_long_s(const struct bcast_bed *b, const struct schedule *schedule, unsigned mapping, unsigned i)
{
    struct sim_pair pair[CORES * CORES];
    uint64_t line_ps[CORES * CORES];
    uint32_t procs = schedule->procs;
    struct sim_pairs_answer answer;
    char reason[200];
    for (uint32_t to = 0; to < procs; to++) {
        double written_s = take_back_s(b, schedule, mapping, to, i);
        for (uint32_t from = 0; from < procs; from++) {
            unsigned far = far_of(mapping, from, to);
            double fresh_s = from != schedule->root ? line_by_line_s(b, far, i) + first_cache_s(b, far, i) : 0;
            pair[from * procs + to] = pair_of(b, far, i);
            pair[from * procs + to].bytes_ps += (uint64_t)((written_s + fresh_s) * 1e12);
            line_ps[from * procs + to] = (uint64_t)(bcast_third_s(b, far) * 1e12);
        }
    }
    struct sim_pairs_question question = {schedule, pair, line_ps, (1u << i) / PAGE_BYTES};
    assert_int_equal(sim_pairs_run(&question, &answer, reason, sizeof reason), 0);
    return answer.time_mean_ps * 1e-12;
}

static double predict_short_s(const struct bcast_bed *b, const struct schedule *schedule, unsigned mapping, unsigned i)
{
    struct sim_call_cost message[CORES * CORES], empty[CORES * CORES];
    uint64_t line_ps[CORES * CORES];
    struct sim_calls_answer answer;
    char reason[200];
    for (unsigned from = 0; from < schedule->procs; from++)
        for (unsigned to = 0; to < schedule->procs; to++) {
            unsigned far = far_of(mapping, from, to), k = from * schedule->procs + to;
            message[k] = cost_of(b, far, i);
            empty[k] = cost_of(b, far, 0);
            line_ps[k] = empty[k].way_ps;
        }
    uint64_t enter_ps = (uint64_t)((call_s(b, NEAR) + call_s(b, FAR)) / 2 * 1e12);
    struct sim_calls_question question = {schedule, message, empty, line_ps, enter_ps, 8, 4};
    assert_int_equal(sim_calls_run(&question, &answer, reason, sizeof reason), 0);
    return answer.time_mean_ps * 1e-12;
}

double bcast_predict_s(const struct bcast_bed *b, unsigned a, unsigned mapping, unsigned procs, unsigned i)
{
    struct schedule schedule;
    assert_int_equal(schedule_init(&schedule, bcast_algorithms[a].schedule, procs, 0), 0);
    return 1u << i >= SINGLE_COPY_BYTES ? predict_long_s(b, &schedule, mapping, i) : predict_short_s(b, &schedule, mapping, i);
}

