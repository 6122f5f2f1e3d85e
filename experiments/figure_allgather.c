/* The algorithms of Allgather against the block, and where which is fastest: simulated on a node of two sockets, and measured on
 * this host with two ranks and, where cores are fewer taking turns, with four. */
#include "experiments/figure.h"
#include "model/channel.h"
#include "model/protocol/eager.h"
#include "model/schedule.h"

#include <math.h>
#include <string.h>

enum { WAYS_MOST = 16, SIZES_MOST = 24, SIM_PROCS = 8, CROWD_PROCS = 4 };
static const uint64_t FIRST_BYTES = 8, LAST_BYTES = 1 << 20;

/* One curve. */
struct way {
    const char *name;
    struct figure_point point;
    double time_s[SIZES_MOST];
};

static struct way way_of(const char *name, const struct node *node, uint32_t procs, const struct schedule_algorithm *algorithm,
                         const struct channel_kind *channel)
{
    struct figure_point point = {.node = node, .kind = JOB_ALLGATHER, .procs = procs, .fragment_bytes = 8192, .slots = 8,
                                 .sets = 1, .algorithm = algorithm, .channel = channel, .limit_s = 0.1, .no_limits = 1};
    if (!algorithm) { /* direct, as it comes */
        point.fragment_bytes = protocol_direct.preset.fragment_bytes;
        point.slots = protocol_direct.preset.slots;
        point.sets = protocol_direct.preset.sets;
        point.protocol = &protocol_direct;
    }
    return (struct way){.name = name, .point = point};
}

/* direct, and every schedule there is for so many ranks, but locality_bruck, which in one domain is recursive doubling; between
 * two of them all schedules are one exchange, so channels instead. */
static size_t ways_of(const struct node *node, uint32_t procs, struct way ways[WAYS_MOST])
{
    size_t n = 0;
    ways[n++] = way_of("direct", node, procs, NULL, NULL);
    for (size_t i = 0; procs == 2 && channel_kind_table[i]; i++)
        ways[n++] = way_of(channel_kind_table[i]->name, node, procs, &schedule_ring, channel_kind_table[i]);
    for (size_t i = 0; procs > 2 && schedule_table[i]; i++)
        if (schedule_table[i]->kind == SCHEDULE_ALLGATHER && schedule_table[i] != &schedule_locality_bruck &&
            schedule_valid(schedule_table[i], procs))
            ways[n++] = way_of(schedule_table[i]->name, node, procs, schedule_table[i], &channel_kind_er);
    return n;
}

static size_t fastest(const struct way *ways, size_t count, size_t size)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        best = ways[i].time_s[size] < ways[best].time_s[size] ? i : best;
    return best;
}

/* Where two curves meet between one size and the next, both taken as straight in logarithms; no nearer to an end than a byte. */
static double crossing(const struct way *from, const struct way *to, size_t i)
{
    double before = log(from->time_s[i] / to->time_s[i]), after = log(from->time_s[i + 1] / to->time_s[i + 1]);
    return (double)(FIRST_BYTES << i) * exp2(before / (before - after));
}

/* The switch points as one setting, NAME:FROM-TO; and so on. */
static void tell_switches(const struct settings *settings, const char *source, const struct way *ways, size_t count, size_t sizes)
{
    char text[512];
    size_t now = fastest(ways, count, 0);
    int n = snprintf(text, sizeof text, "%s:%llu-", ways[now].name, (unsigned long long)FIRST_BYTES);
    for (size_t i = 0; i + 1 < sizes && (size_t)n < sizeof text; i++) {
        size_t next = fastest(ways, count, i + 1);
        if (next != now)
            n += snprintf(text + n, sizeof text - (size_t)n, "%.0f;%s:%.0f-", crossing(&ways[now], &ways[next], i),
                          ways[next].name, crossing(&ways[now], &ways[next], i));
        now = next;
    }
    talk_note(settings->verbosity, 0, "%s, %u ranks: %s%llu", source, ways[0].point.procs, text,
              (unsigned long long)(FIRST_BYTES << (sizes - 1)));
}

/* All ways at one size before the next size, so that a host that changes changes all alike. */
static int write_ways(FILE *csv, const struct settings *settings, const struct figure_source *source, struct way *ways,
                      size_t count)
{
    size_t sizes = 0;
    int code = 0;
    for (uint64_t size = FIRST_BYTES; size <= LAST_BYTES && !code; size *= 2, sizes++)
        for (size_t i = 0; i < count && !code; i++) {
            struct figure_point point = ways[i].point;
            point.size_bytes = size;
            if (point.protocol && size <= EAGER_PAYLOAD_BYTES)
                point.protocol = &protocol_direct_line;
            code = figure_time(source->name, source->variant, &point, &ways[i].time_s[sizes]);
        }
    for (size_t s = 0; s < sizes && !code; s++)
        for (size_t i = 0; i < count; i++)
            fprintf(csv, "%s,%u,%u,%s,%llu,%.9g,%d\n", source->name, ways[i].point.procs, ways[i].point.node->cores, ways[i].name,
                    (unsigned long long)(FIRST_BYTES << s), ways[i].time_s[s], fastest(ways, count, s) == i);
    if (!code)
        tell_switches(settings, source->name, ways, count, sizes);
    return code;
}

static const char HEAD[] = "source,procs,cores,way,size_bytes,time_s,fastest\n";

int figure_switch(FILE *csv, const struct settings *settings)
{
    struct way ways[WAYS_MOST];
    struct node node;
    int code = figure_node("broadwell-2x8", &node);
    if (code)
        return code;
    fputs(HEAD, csv);
    code = write_ways(csv, settings, &(struct figure_source){"sim", ""}, ways, ways_of(&node, SIM_PROCS, ways));
    node_destroy(&node);
    return code;
}

static int write_host(FILE *csv, const struct settings *settings, const struct node *node, const struct figure_source *source)
{
    int code = 0;
    for (uint32_t procs = 2; procs <= CROWD_PROCS && !code; procs *= 2) {
        struct way ways[WAYS_MOST];
        if (procs > node->cores && strcmp(source->name, "run"))
            continue; /* predictions are for ranks with a core each */
        size_t count = ways_of(node, procs, ways);
        for (size_t i = 0; i < count; i++)
            ways[i].point.warm = procs > node->cores;
        code = write_ways(csv, settings, source, ways, count);
    }
    return code;
}

int figure_host_switch(FILE *csv, const struct settings *settings)
{
    fputs(HEAD, csv);
    return figure_sources(csv, settings, write_host);
}
