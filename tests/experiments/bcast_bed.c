#include "tests/experiments/bcast_bed.h"
#include "tests/model/cmocka_all.h"

#include "experiments/statistics.h"
#include "model/schedule_trees.h"

#include <stdlib.h>
#include <string.h>

const struct bcast_algorithm bcast_algorithms[ALGORITHMS] = {{"linear", &schedule_linear},
                                                             {"chain", &schedule_chains},
                                                             {"binarytree", &schedule_binary},
                                                             {"binomial", &schedule_binomial_near}};
const char *const bcast_mappings[2] = {"core", "socket"};

FILE *bcast_data_open(const char *name)
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

static void read_pairs(struct bcast_bed *b)
{
    enum { MOST = CORES * (CORES - 1) / 2 };
    static double sample[2][SIZES][MOST];
    size_t n[2][SIZES] = {{0}};
    unsigned a, c, size;
    double time_s;
    FILE *file = bcast_data_open("pingpong_core_pairs.csv");
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

static void read_bcasts(struct bcast_bed *b)
{
    char algorithm[32], mapping[32];
    unsigned procs, size;
    double time_s;
    FILE *file = bcast_data_open("ompi_bcast_one_node.csv");
    while (fscanf(file, "%31[^,],%31[^,],%u,%u,%lf\n", algorithm, mapping, &procs, &size, &time_s) == 5) {
        assert_in_range(procs, 2, CORES);
        unsigned a = index_of(&bcast_algorithms[0].name, sizeof *bcast_algorithms / sizeof(char *), ALGORITHMS, algorithm);
        b->bcast_s[a][index_of(bcast_mappings, 1, 2, mapping)][procs][log2_of(size)] = time_s;
    }
    fclose(file);
}

double bcast_two_ranks_s(const struct bcast_bed *b, unsigned far, unsigned i)
{
    double sample[ALGORITHMS];
    struct statistics s;
    for (unsigned a = 0; a < ALGORITHMS; a++)
        sample[a] = b->bcast_s[a][far][2][i];
    assert_int_equal(statistics_of(sample, ALGORITHMS, &s), 0);
    return s.median;
}

struct bcast_bed *bcast_bed_make(void)
{
    struct bcast_bed *b = calloc(1, sizeof *b);
    assert_non_null(b);
    read_pairs(b);
    read_bcasts(b);
    for (unsigned a = 0; a < ALGORITHMS; a++)
        for (unsigned m = 0; m < 2; m++)
            for (unsigned p = 2; p <= CORES; p++)
                for (unsigned i = 0; i < SIZES; i++) {
                    double again_s = a == BINOMIAL ? b->bcast_s[LINEAR][m][p][i] : 0, once_s = b->bcast_s[a][m][p][i];
                    b->measured_s[a][m][p][i] = again_s > 0 ? (once_s + again_s) / 2 : once_s;
                    b->predicted_s[a][m][p][i] = bcast_predict_s(b, a, m, p, i);
                }
    return b;
}
