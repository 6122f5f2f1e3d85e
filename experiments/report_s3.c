/* TopoMPI (S3): how long the renumbering takes to find, what it buys on the paper's cluster, and where the cut, which it makes
 * least, does not say how long an Allgather takes. Its figures have no numbers: they are counted here as its results show
 * them. */
#include "experiments/figure_cut.h"
#include "experiments/report.h"

#include <math.h>
#include <string.h>

enum { VERTICES = 65536, PARTS = 512, LARGE_VERTICES = 1 << 20, LARGE_PARTS = 1 << 17, TIMED_BYTES = 16384 };

static const char *const notes[] = {
    "0.6 s for 61 MB between nodes is a hundredth of the network: TCP that collapses when 64 ranks send at once. That is "
    "not simulated, nor tuned to; traffic explains a speed-up of 3752/448 = 8.4 at most.",
    "Simulated, memory is mostly idle at 1 Gbit/s, so that the traffic between nodes decides: 3752 blocks or 448. What S3's "
    "MPI did within a node over TCP is not known.",
    "S3 times calls with the optimisation in them, which is done once, at the first, and does not say how many calls share "
    "it. All of S3's in one call takes the speed-ups down where messages are short, and lets them rise with the size, as "
    "S3's do; with more calls, or the optimisation as fast as it is here, they are flat.",
    "The least cut is 448 blocks. What remains is done by the nodes' memory: Bruck's rotation takes 64 copies of a block "
    "whatever the numbering, reordering in place one copy of every block that moves and one more of every cycle.",
    "A round waits for the node that sends or gets most in it, whatever the sum. Random numberings have less to send than "
    "rank after rank has, but not shared out evenly: their busiest node has more. A few ranks exchanged in the best one "
    "load one or two nodes. Of those with a smaller cut whose busiest node has less to do, too, none takes longer. What the "
    "busiest node does not explain are ports that idle, as a message waits for the one at its other end.",
    "By default 3584 blocks go between nodes, and hardly any is copied; with the least cut it is 448, and as many are "
    "copied within each node, which reordering follows by 84 copies in each of 8 ranks. Together these 1120 take longer "
    "than the traffic that is saved, at the speed of InfiniBand. exch. sends 56 blocks more instead, and takes half the "
    "time. The busiest node of each round over its link, and then all copies of a node, with what its bus brings them, at "
    "the speed that its cores have together, all from the descriptions alone, foretell both. Were "
    "memory's speed no matter, less than half the time would be left, and of tau what it is over Gigabit: the rest is (5).",
    NULL,
};

static int tell(struct report_range *out, double low, double high)
{
    *out = (struct report_range){low, high};
    return 0;
}

static int ask_partition(const struct report_row *row, struct report_range *out)
{
    struct figure_parted parted;
    uint32_t parts = row->bytes == LARGE_VERTICES ? LARGE_PARTS : PARTS;
    int code = figure_partition_once(&schedule_bruck, row->subject, (uint32_t)row->bytes, parts, &parted);
    return code ? code : tell(out, parted.time_s, parted.time_s);
}

static int ask_optimisation(const struct report_row *row, struct report_range *out)
{
    struct mapping mapping;
    double time_s;
    int doubling = strcmp(row->id, "o.doubling") == 0;
    int code = cluster_optimise(doubling ? &schedule_recursive_doubling : &schedule_bruck, row->subject, 1, &mapping, &time_s);
    if (code)
        return code;
    mapping_destroy(&mapping);
    return tell(out, time_s * 1e6, time_s * 1e6);
}

static int ask_default(const struct report_row *row, struct report_range *out)
{
    struct cluster cluster;
    struct cluster_answer answer;
    int code = cluster_create(&cluster, row->subject);
    if (code)
        return code;
    code = cluster_simulate(&cluster, &schedule_bruck, NULL, row->bytes, &answer);
    cluster_destroy(&cluster);
    return code ? code : tell(out, answer.time_s, answer.time_s);
}

/* Of both algorithms, exchanged and reordered, over a panel's sizes. `calls` share what S3's optimisation takes; 0: it takes
 * nothing. */
static int speedups(const struct cluster_panel *panel, const struct cluster *cluster, const struct schedule_algorithm *algorithm,
                    uint64_t calls, struct report_range *out)
{
    struct mapping mapping;
    int code = cluster_optimise(algorithm, "auto", 1, &mapping, NULL);
    if (code)
        return code;
    double more_s = calls ? cluster_reported_optimisation_s(algorithm) / (double)calls : 0;
    struct numbering numbering = mapping_numbering(&mapping);
    for (uint32_t i = 0; i < panel->steps && !code; i++) {
        uint64_t bytes = panel->first_bytes + i * panel->step_bytes;
        struct cluster_answer plain, answer;
        code = cluster_simulate(cluster, algorithm, NULL, bytes, &plain);
        for (int reorder = 0; reorder < 2 && !code; reorder++) {
            numbering.remap = reorder ? NUMBERING_REORDER : NUMBERING_EXCH;
            code = cluster_simulate(cluster, algorithm, &numbering, bytes, &answer);
            double speedup = plain.time_s / (answer.time_s + more_s);
            out->low = fmin(out->low, speedup);
            out->high = fmax(out->high, speedup);
        }
    }
    mapping_destroy(&mapping);
    return code;
}

/* Row's subject: the network and the range. */
static int ask_speedup(const struct report_row *row, struct report_range *out)
{
    const struct cluster_panel *panel = cluster_panels;
    struct cluster cluster;
    char name[64];
    for (; panel->network; panel++) {
        snprintf(name, sizeof name, "%s %s", panel->network, panel->range);
        if (strcmp(name, row->subject) == 0)
            break;
    }
    if (!panel->network)
        return talk_fail(EXIT_FAILED, "nothing is drawn of %s", row->subject);
    int code = cluster_create(&cluster, panel->network);
    if (code)
        return code;
    *out = (struct report_range){NAN, NAN};
    code = speedups(panel, &cluster, &schedule_bruck, row->bytes, out);
    code = code ? code : speedups(panel, &cluster, &schedule_recursive_doubling, row->bytes, out);
    cluster_destroy(&cluster);
    return code;
}

/* Row's subject: the network. Bytes: the longest message there; 0: of all sizes, within a node to between two. */
static int ask_levels(const struct report_row *row, struct report_range *out)
{
    struct cluster cluster;
    int code = cluster_create(&cluster, row->subject), gigabit = strcmp(row->subject, "gigabit") == 0;
    if (code)
        return code;
    *out = (struct report_range){NAN, NAN};
    for (uint64_t bytes = row->bytes ? row->bytes : gigabit ? 1 << 4 : 1 << 12; bytes <= 1u << (gigabit ? 22 : 23) && !code;
         bytes *= 2) {
        double within_s, between_s;
        code = cluster_message(&cluster, 0, bytes, &within_s);
        code = code ? code : cluster_message(&cluster, 1, bytes, &between_s);
        double value = row->bytes ? between_s : within_s / between_s;
        out->low = fmin(out->low, value);
        out->high = fmax(out->high, value);
    }
    cluster_destroy(&cluster);
    return code;
}

/* The numberings that the figure `cut` shows; as they would be, were memory's speed no matter. */
static int points_of(const char *network, int unlimited, struct cut_points *points)
{
    struct cluster cluster;
    int code = cluster_create(&cluster, network);
    if (code)
        return code;
    if (unlimited)
        cluster.node.bandwidth_count = 0;
    int gigabit = strcmp(network, "gigabit") == 0;
    code = cut_points_make(&cluster, gigabit ? &schedule_bruck : &schedule_recursive_doubling, CUT_BLOCK_BYTES, 1, points);
    cluster_destroy(&cluster);
    return code;
}

/* The longest time of a numbering with a smaller cut than the algorithm's own, to that one's. Bytes 1: and with a less busy
 * node. */
static int ask_smaller(const struct report_row *row, struct report_range *out)
{
    struct cut_points points;
    int code = points_of(row->subject, 0, &points);
    const struct cut_point *plain = code ? NULL : cut_point_find(&points, "default", "none");
    if (!plain)
        return code ? code : talk_fail(EXIT_FAILED, "the algorithm's own numbering is not there");
    double worst = NAN;
    for (size_t i = 0; i < points.count; i++) {
        const struct cut_point *p = &points.point[i];
        if (p->cut < plain->cut && (!row->bytes || p->busiest < plain->busiest))
            worst = fmax(worst, p->time_s / plain->time_s);
    }
    return tell(out, worst, worst);
}

/* Row's subject: the measure instead of the cut. Bytes: whether memory's speed is no matter. */
static int ask_tau(const struct report_row *row, struct report_range *out)
{
    struct cut_points points;
    int code = points_of(strcmp(row->id, "c.tau.gigabit") == 0 ? "gigabit" : "infiniband-ddr", row->bytes != 0, &points);
    double tau = code ? 0 : cut_points_tau(&points, row->subject);
    return code ? code : tell(out, tau, tau);
}

/* Row's subject: how the least cut is used. Bytes 1 and 2: what is expected of both, by an estimate, by the sum of their rounds,
 * instead of what is simulated; 3: that, were memory's speed no matter. */
static int ask_least(const struct report_row *row, struct report_range *out)
{
    struct cut_points points;
    int code = points_of("infiniband-ddr", row->bytes == 3, &points);
    if (code)
        return code;
    const struct cut_point *least = cut_point_find(&points, "auto", row->subject),
                           *plain = cut_point_find(&points, "default", "none");
    if (!least || !plain)
        return talk_fail(EXIT_FAILED, "the numberings to compare are not there");
    double ratio = row->bytes == 2   ? least->model_s / plain->model_s
                   : row->bytes == 1 ? least->estimate_s / plain->estimate_s
                                     : least->time_s / plain->time_s;
    return tell(out, ratio, ratio);
}

#define ASKED(name, number, question, about, of) .id = name, .figure = number, .ask = question, .subject = about, .bytes = of
#define IF(text) .if_so = text

static const struct report_row rows[] = {
    {ASKED("p.65536", 1, ask_partition, "metis-rb", VERTICES)},
    {ASKED("p.65536", 1, ask_partition, "auto", VERTICES), IF("a formula is known, which auto finds")},
    {ASKED("p.million", 1, ask_partition, "auto", LARGE_VERTICES)},
    {ASKED("o.bruck", 2, ask_optimisation, "metis-rb", 0)},
    {ASKED("o.bruck", 2, ask_optimisation, "auto", 0), IF("a formula is known, which auto finds")},
    {ASKED("o.doubling", 2, ask_optimisation, "metis-rb", 0)},
    {ASKED("o.doubling", 2, ask_optimisation, "auto", 0), IF("a formula is known, which auto finds")},
    {ASKED("t.gigabit", 2, ask_default, "gigabit", TIMED_BYTES), .cause = 1},
    {ASKED("s.gigabit.short", 3, ask_speedup, "gigabit short", 0), .cause = 1},
    {ASKED("s.gigabit.short", 3, ask_speedup, "gigabit short", 1), IF("one call bears S3's optimisation")},
    {ASKED("s.gigabit.long", 3, ask_speedup, "gigabit long", 0), .cause = 2},
    {ASKED("t.infiniband", 4, ask_default, "infiniband-ddr", TIMED_BYTES)},
    {ASKED("s.infiniband.short", 4, ask_speedup, "infiniband-ddr short", 0), .cause = 3},
    {ASKED("s.infiniband.short", 4, ask_speedup, "infiniband-ddr short", 1), IF("one call bears S3's optimisation")},
    {ASKED("s.infiniband.short", 4, ask_speedup, "infiniband-ddr short", 10), IF("ten calls share it")},
    {ASKED("s.infiniband.long", 4, ask_speedup, "infiniband-ddr long", 0), .cause = 4},
    {ASKED("l.gigabit", 5, ask_levels, "gigabit", 0)},
    {ASKED("l.infiniband", 5, ask_levels, "infiniband-ddr", 0)},
    {ASKED("l.longest", 5, ask_levels, "infiniband-ddr", 1 << 23)},
    {ASKED("c.smaller", 0, ask_smaller, "gigabit", 0), .cause = 5},
    {ASKED("c.smaller", 0, ask_smaller, "gigabit", 1), IF("its busiest node has less to send and get, too")},
    {ASKED("c.reorder", 0, ask_least, "reorder", 0), .cause = 6},
    {ASKED("c.reorder", 0, ask_least, "reorder", 1), IF("links and copies are added up")},
    {ASKED("c.reorder", 0, ask_least, "reorder", 2), IF("shmcoll model sums up its rounds")},
    {ASKED("c.reorder", 0, ask_least, "reorder", 3), IF("memory has no limit")},
    {ASKED("c.reorder", 0, ask_least, "exch", 0), IF("blocks are exchanged beforehand")},
    {ASKED("c.tau.gigabit", 0, ask_tau, "cut", 0), .cause = 5},
    {ASKED("c.tau.gigabit", 0, ask_tau, "busiest", 0), IF("the busiest node is looked at instead")},
    {ASKED("c.tau.gigabit", 0, ask_tau, "model_s", 0), IF("shmcoll model sums up their rounds")},
    {ASKED("c.tau.infiniband", 0, ask_tau, "cut", 0), .cause = 6},
    {ASKED("c.tau.infiniband", 0, ask_tau, "busiest", 0), IF("the busiest node is looked at instead")},
    {ASKED("c.tau.infiniband", 0, ask_tau, "estimate_s", 0), IF("links and copies are added up")},
    {ASKED("c.tau.infiniband", 0, ask_tau, "model_s", 0), IF("shmcoll model sums up their rounds")},
    {ASKED("c.tau.infiniband", 0, ask_tau, "cut", 1), IF("memory has no limit")},
    {.id = NULL},
};

const struct report_source report_source_s3 = {.name = "s3", .published = "published_s3.csv", .rows = rows, .notes = notes};
