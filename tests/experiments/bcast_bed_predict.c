#include "tests/experiments/bcast_bed.h"
#include "tests/model/cmocka_all.h"

#include "sim/sim_calls.h"
#include "sim/sim_pairs.h"

#include <math.h>

enum { SINGLE_COPY_BYTES = 16384, LONG = 18 /* 2^18: pairs copy once too */ };

/* What a single copy of 2^i bytes costs: on the line through those of pairs. */
static struct sim_pair pair_of(const struct bcast_bed *b, unsigned far, unsigned i)
{
    double send_s = fmax(2 * bcast_two_ranks_s(b, NEAR, 0) - b->pair_s[NEAR][0], 20e-9);
    double s_per_byte = (b->pair_s[far][LONG + 1] - b->pair_s[far][LONG]) / (1 << LONG);
    double begin_s = b->pair_s[far][LONG] - s_per_byte * (1 << LONG);
    return (struct sim_pair){(uint64_t)(send_s * 1e12), (uint64_t)(begin_s * 1e12), (uint64_t)(s_per_byte * (1u << i) * 1e12)};
}

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

/* What another rank has just written, read from the other socket, costs more than the root's old message. Messages through a
 * queue show by how much: far ones find lines just written at both ends, on the way in and on the way out. */
static double fresh_ps(const struct bcast_bed *b, unsigned i)
{
    double far_s = b->pair_s[FAR][17] - b->pair_s[FAR][16], near_s = b->pair_s[NEAR][17] - b->pair_s[NEAR][16];
    return (far_s - near_s) / 2 / (1 << 16) * (1u << i) * 1e12;
}

/* Ranks by core fill a socket first, by socket they take turns. */
static unsigned socket_of(unsigned mapping, unsigned rank)
{
    return mapping ? rank % 2 : rank / HALF;
}

static double predict_long_s(const struct bcast_bed *b, const struct schedule *schedule, unsigned mapping, unsigned i)
{
    struct sim_pair pair[CORES * CORES], by_distance[2] = {pair_of(b, NEAR, i), pair_of(b, FAR, i)};
    uint32_t socket[CORES], procs = schedule->procs;
    struct sim_pairs_answer answer;
    char reason[200];
    for (unsigned from = 0; from < procs; from++) {
        socket[from] = socket_of(mapping, from);
        for (unsigned to = 0; to < procs; to++) {
            unsigned far = socket_of(mapping, from) != socket_of(mapping, to);
            pair[from * procs + to] = by_distance[far];
            pair[from * procs + to].bytes_ps += far && from ? (uint64_t)fresh_ps(b, i) : 0;
        }
    }
    struct sim_pairs_question question = {schedule, pair, socket};
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
            unsigned far = socket_of(mapping, from) != socket_of(mapping, to), k = from * schedule->procs + to;
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

