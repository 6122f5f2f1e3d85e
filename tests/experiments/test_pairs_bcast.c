/* Open MPI's broadcasts on a node of two 12-core Xeons, as somebody measured them, from what a message between two cores takes.
 *
 * Known are half round trips of each pair of cores, whose blocking sends change to single copies at 256 KiB, and broadcasts to
 * one other rank, near and far. These tell how long a sender is busy, and that broadcasts, whose sends do not block, change to
 * single copies at 16 KiB. The rest is predicted: four trees, 3 to 24 ranks that fill one socket first or take turns; means over
 * ranks. That copies from one socket share the rate of one no pair can tell: it is the one thing learnt from the broadcasts. */
#include "tests/model/cmocka_all.h"

#include "experiments/statistics.h"
#include "model/schedule_trees.h"
#include "sim/sim_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 24, HALF = 12, SIZES = 21, ALGORITHMS = 4, SINGLE_COPY_BYTES = 16384, LONG = 18 /* 2^18: pairs copy once too */ };
enum { NEAR, FAR };

/* By their names in the file. */
static const struct {
    const char *name;
    const struct schedule_algorithm *schedule;
} algorithms[ALGORITHMS] = {{"linear", &schedule_linear}, {"chain", &schedule_chains}, {"binarytree", &schedule_binary},
                            {"binomial", &schedule_binomial_near}};
static const char *const mappings[2] = {"core", "socket"};

struct bed {
    double pair_s[2][SIZES]; /* [near, far][log2 size], median */
    double bcast_s[ALGORITHMS][2][CORES + 1][SIZES]; /* [algorithm][mapping][procs][log2 size]; 0: not measured */
    double predicted_s[ALGORITHMS][2][CORES + 1][SIZES];
};

static FILE *data_open(const char *name)
{
    const char *folder = getenv("SHMCOLL_DATA");
    char path[512], head[200];
    snprintf(path, sizeof path, "%s/orfeo-thin/%s", folder && *folder ? folder : "../shared/data", name);
    FILE *file = fopen(path, "r");
    if (file && !fgets(head, sizeof head, file))
        assert_non_null(NULL);
    return file;
}

static unsigned log2_of(unsigned size)
{
    unsigned i = 0;
    while (i + 1 < SIZES && 1u << i < size)
        i++;
    assert_int_equal(1u << i, size);
    return i;
}

static void read_pairs(struct bed *b)
{
    enum { MOST = CORES * (CORES - 1) / 2 };
    static double sample[2][SIZES][MOST];
    size_t n[2][SIZES] = {{0}};
    unsigned a, c, size;
    double time_s;
    FILE *file = data_open("pingpong_core_pairs.csv");
    while (fscanf(file, "%u,%u,%u,%lf\n", &a, &c, &size, &time_s) == 4) {
        unsigned far = a / HALF != c / HALF, i = log2_of(size);
        assert_true(a < CORES && c < CORES && n[far][i] < MOST);
        sample[far][i][n[far][i]++] = time_s;
    }
    fclose(file);
    for (unsigned far = NEAR; far <= FAR; far++)
        for (unsigned i = 0; i < SIZES; i++) {
            struct statistics s;
            assert_int_equal(statistics_of(sample[far][i], n[far][i], &s), 0);
            b->pair_s[far][i] = s.median;
        }
}

static unsigned index_of(const char *const *name, size_t stride, unsigned count, const char *sought)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(name[i * stride], sought))
            return i;
    fail_msg("what is '%s'?", sought);
    return 0;
}

static void read_bcasts(struct bed *b)
{
    char algorithm[32], mapping[32];
    unsigned procs, size;
    double time_s;
    FILE *file = data_open("ompi_bcast_one_node.csv");
    while (fscanf(file, "%31[^,],%31[^,],%u,%u,%lf\n", algorithm, mapping, &procs, &size, &time_s) == 5) {
        assert_in_range(procs, 2, CORES);
        unsigned a = index_of(&algorithms[0].name, sizeof *algorithms / sizeof(char *), ALGORITHMS, algorithm);
        b->bcast_s[a][index_of(mappings, 1, 2, mapping)][procs][log2_of(size)] = time_s;
    }
    fclose(file);
}

/* What a message of 2^i bytes costs. Of the two ranks of a broadcast one is busy as long as it sends, the other has the message
 * after the pair's time, and the mean is known. Long ones lie on the line through the pairs' single copies. */
static struct sim_pair pair_of(const struct bed *b, unsigned far, unsigned i)
{
    double send_s[2];
    for (unsigned f = NEAR; f <= FAR; f++)
        send_s[f] = fmax(2 * b->bcast_s[0][f][2][i < 14 ? i : 0] - b->pair_s[f][i < 14 ? i : 0], 20e-9);
    if (1u << i < SINGLE_COPY_BYTES)
        return (struct sim_pair){(uint64_t)(send_s[far] * 1e12), 0, (uint64_t)(b->pair_s[far][i] * 1e12)};
    double s_per_byte = (b->pair_s[far][LONG + 1] - b->pair_s[far][LONG]) / (1 << LONG);
    double begin_s = b->pair_s[far][LONG] - s_per_byte * (1 << LONG);
    return (struct sim_pair){(uint64_t)(send_s[NEAR] * 1e12), (uint64_t)(begin_s * 1e12),
                             (uint64_t)(s_per_byte * (1u << i) * 1e12)};
}

/* What another rank has just written, read from the other socket, costs more than the root's old message. Messages through a
 * queue show by how much: far ones find lines just written at both ends, on the way in and on the way out. */
static double fresh_ps(const struct bed *b, unsigned i)
{
    double far_s = b->pair_s[FAR][17] - b->pair_s[FAR][16], near_s = b->pair_s[NEAR][17] - b->pair_s[NEAR][16];
    return (far_s - near_s) / 2 / (1 << 16) * (1u << i) * 1e12;
}

/* Ranks by core fill a socket first, by socket they take turns. */
static unsigned socket_of(unsigned mapping, unsigned rank)
{
    return mapping ? rank % 2 : rank / HALF;
}

static double predict_s(const struct bed *b, unsigned a, unsigned mapping, unsigned procs, unsigned i)
{
    struct sim_pair pair[CORES * CORES], by_distance[2] = {pair_of(b, NEAR, i), pair_of(b, FAR, i)};
    uint32_t socket[CORES];
    int single_copy = 1u << i >= SINGLE_COPY_BYTES;
    struct schedule schedule;
    struct sim_pairs_answer answer;
    char reason[200];
    for (unsigned from = 0; from < procs; from++) {
        socket[from] = socket_of(mapping, from);
        for (unsigned to = 0; to < procs; to++) {
            unsigned far = socket_of(mapping, from) != socket_of(mapping, to);
            pair[from * procs + to] = by_distance[far];
            pair[from * procs + to].bytes_ps += single_copy && far && from ? (uint64_t)fresh_ps(b, i) : 0;
        }
    }
    assert_int_equal(schedule_init(&schedule, algorithms[a].schedule, procs, 0), 0);
    struct sim_pairs_question question = {&schedule, pair, socket, single_copy};
    assert_int_equal(sim_pairs_run(&question, &answer, reason, sizeof reason), 0);
    return answer.time_mean_ps * 1e-12;
}

static int bed_create(void **state)
{
    struct bed *b = calloc(1, sizeof *b);
    assert_non_null(b);
    read_pairs(b);
    read_bcasts(b);
    for (unsigned a = 0; a < ALGORITHMS; a++)
        for (unsigned m = 0; m < 2; m++)
            for (unsigned p = 2; p <= CORES; p++)
                for (unsigned i = 0; i < SIZES && b->bcast_s[a][m][p][i] > 0; i++)
                    b->predicted_s[a][m][p][i] = predict_s(b, a, m, p, i);
    *state = b;
    return 0;
}

static int bed_destroy(void **state)
{
    free(*state);
    return 0;
}

/* Errors of rows from 3 ranks on, of one algorithm and mapping or of all (ALGORITHMS), of sizes [from, to). */
static struct statistics errors(const struct bed *b, unsigned algorithm, unsigned mapping, unsigned from, unsigned to,
                                double *bias)
{
    static double size_of_error[ALGORITHMS * 2 * CORES * SIZES], error[ALGORITHMS * 2 * CORES * SIZES];
    int all = algorithm == ALGORITHMS;
    struct statistics s = {0}, signed_s = {0};
    size_t n = 0;
    for (unsigned a = 0; a < ALGORITHMS; a++)
        for (unsigned m = 0; m < 2; m++)
            for (unsigned p = 3; p <= CORES; p++)
                for (unsigned i = from; i < to; i++)
                    if (b->bcast_s[a][m][p][i] > 0 && (all || (a == algorithm && m == mapping))) {
                        error[n] = b->predicted_s[a][m][p][i] / b->bcast_s[a][m][p][i] - 1;
                        size_of_error[n] = fabs(error[n]);
                        n++;
                    }
    assert_int_equal(statistics_of(size_of_error, n, &s), 0);
    assert_int_equal(statistics_of(error, n, &signed_s), 0);
    *bias = signed_s.median;
    return s;
}

static void test_times(void **state)
{
    const struct bed *b = *state;
    double bias;
    for (unsigned a = 0; a < ALGORITHMS; a++)
        for (unsigned m = 0; m < 2; m++)
            for (unsigned single = 0; single < 2; single++) {
                struct statistics s = errors(b, a, m, single ? 14 : 0, single ? SIZES : 14, &bias);
                print_message("%-10s by %-6s %-12s %3zu rows, |error| median %4.1f%%, p90 %5.1f%%, bias %+5.1f%%\n",
                              algorithms[a].name, mappings[m], single ? "from 16 KiB" : "below 16 KiB", s.count, 100 * s.median,
                              100 * s.p90, 100 * bias);
            }
    struct statistics all = errors(b, ALGORITHMS, 0, 0, SIZES, &bias);
    print_message("all %zu rows: |error| median %.1f%%, p90 %.1f%%, max %.1f%%, bias %+.1f%%\n", all.count, 100 * all.median,
                  100 * all.p90, 100 * all.max, 100 * bias);
    assert_true(all.median <= 0.30 && all.p90 <= 0.60);
}

static unsigned fastest(const double (*time_s)[2][CORES + 1][SIZES], unsigned m, unsigned p, unsigned i)
{
    unsigned best = 0;
    for (unsigned a = 1; a < ALGORITHMS; a++)
        best = time_s[a][m][p][i] < time_s[best][m][p][i] ? a : best;
    return best;
}

/* The second fastest's time over the fastest's. */
static double margin(const struct bed *b, unsigned m, unsigned p, unsigned i)
{
    unsigned best = fastest(b->bcast_s, m, p, i);
    double least = INFINITY;
    for (unsigned a = 0; a < ALGORITHMS; a++)
        least = a == best ? least : fmin(least, b->bcast_s[a][m][p][i]);
    return least / b->bcast_s[best][m][p][i];
}

/* At two ranks all four send one and the same message: how far apart the slowest and the fastest are all the same, median. */
static double noise(const struct bed *b)
{
    double apart[2 * SIZES];
    struct statistics s;
    for (unsigned k = 0; k < 2 * SIZES; k++) {
        double least = INFINITY, most = 0;
        for (unsigned a = 0; a < ALGORITHMS; a++) {
            least = fmin(least, b->bcast_s[a][k / SIZES][2][k % SIZES]);
            most = fmax(most, b->bcast_s[a][k / SIZES][2][k % SIZES]);
        }
        apart[k] = most / least - 1;
    }
    assert_int_equal(statistics_of(apart, 2 * SIZES, &s), 0);
    return s.median;
}

/* Where all four were measured: from 4 ranks on, even numbers. */
static void test_choice(void **state)
{
    const struct bed *b = *state;
    unsigned n = 0, named = 0, near = 0, clear = 0, clear_named = 0, close = 0;
    double regret[2 * CORES * SIZES], noisy = noise(b);
    struct statistics s;
    for (unsigned m = 0; m < 2; m++)
        for (unsigned p = 4; p <= CORES; p += 2)
            for (unsigned i = 0; i < SIZES; i++) {
                unsigned best = fastest(b->bcast_s, m, p, i), choice = fastest(b->predicted_s, m, p, i);
                int apart = margin(b, m, p, i) > 1 + noisy;
                regret[n] = b->bcast_s[choice][m][p][i] / b->bcast_s[best][m][p][i] - 1;
                named += choice == best;
                near += regret[n] <= noisy;
                clear += apart;
                clear_named += apart && choice == best;
                close += !apart;
                n++;
            }
    assert_int_equal(statistics_of(regret, n, &s), 0);
    print_message("fastest of four named: %.0f%% of %u (ranks, size); slower than it by: median %.1f%%, p90 %.1f%%, max %.1f%%\n",
                  100.0 * named / n, n, 100 * s.median, 100 * s.p90, 100 * s.max);
    print_message("the same message at two ranks differs by %.1f%% (median); in %.0f%% of cases the two fastest are no further\n"
                  "apart; named within that: %.0f%%; of the %u cases that are clearer: %.0f%%\n",
                  100 * noisy, 100.0 * close / n, 100.0 * near / n, clear, 100.0 * clear_named / clear);
    assert_true(s.median <= 0.05 && s.p90 <= 0.20);
}

int main(void)
{
    FILE *file = data_open("pingpong_core_pairs.csv");
    if (!file)
        return 77;
    fclose(file);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, bed_create, bed_destroy);
}
