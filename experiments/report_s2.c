/* The paper on channels over the Tianhe interconnect, Figs. 6 to 9 and what it says of memory: what is asked of the simulation
 * for each quantity, why it differs, and what shows that. */
#include "experiments/figure_tianhe.h"
#include "experiments/report.h"
#include "model/channel/channel_memory.h"
#include "sim/sim_channel_count.h"

#include <math.h>
#include <string.h>

enum { PINGPONG_MOST_BYTES = 4 << 20, EAGER_MOST_BYTES = 16384, RING_FRAGMENT_BYTES = 8192, TORUS_NEIGHBOURS = 6,
       COUNTED_MOST = 1024 };

static const char *const notes[] = {
    "Our packets hold 224 bytes, a descriptor 112 (S2: 64 with a head, and not 128): from 113 to 224 bytes one packet over SR "
    "stands against a put over ER that has to read memory first. S2 does not say how long its packets are.",
    "S2 gives CH4's callback as the reason, by which the length is known only after packing, so that the end of the ring is "
    "harder to reuse. Simulated is what follows for the ring: room for the longest message is claimed, and what is left at its "
    "end is lost. That costs where rings are short, and S2 does not say how long its are; nor what the callback itself takes: 80 "
    "ns more a message at the busier end would do. A port of 14 Gbit/s, as against a lane of 8, would make both alike from 460 "
    "bytes on, and so nothing to be seen to 4 KiB.",
    NULL,
};

/* ---- what is asked ---- */

static int time_of(const struct report_row *row, const char *layer, const struct channel_kind *channel, enum p2p_pattern pattern,
                   uint64_t bytes, double *time_s)
{
    uint32_t window = pattern == P2P_STREAM ? TIANHE_RATE_WINDOW : 1;
    struct tianhe_point point = {layer, channel, pattern, bytes, window, 0, 0, row->change_nic};
    return tianhe_time(&point, time_s);
}

static int tell(struct report_range *out, double low, double high)
{
    *out = (struct report_range){low, high};
    return 0;
}

static int ask_latency(const struct report_row *row, struct report_range *out)
{
    double s;
    int code = time_of(row, row->subject, &channel_kind_er, P2P_PINGPONG, row->bytes, &s);
    return code ? code : tell(out, s * 1e6, s * 1e6);
}

static int ask_raw(const struct report_row *row, struct report_range *out)
{
    double uct_s, raw_s;
    int code = time_of(row, "uct", &channel_kind_er, P2P_PINGPONG, 8, &uct_s);
    code = code ? code : time_of(row, "glex", &channel_kind_er, P2P_PINGPONG, 1, &raw_s);
    return code ? code : tell(out, (uct_s - raw_s) * 1e6, (uct_s - raw_s) * 1e6);
}

static int ask_gap(const struct report_row *row, struct report_range *out)
{
    double er_s, sr_s;
    int code = time_of(row, "ch4", &channel_kind_combined, P2P_PINGPONG, row->bytes, &er_s);
    code = code ? code : time_of(row, "ch4", &channel_kind_zc, P2P_PINGPONG, row->bytes, &sr_s);
    return code ? code : tell(out, (sr_s - er_s) * 1e6, (sr_s - er_s) * 1e6);
}

/* One way of a message to another's, over sizes that double. */
struct ratio {
    const char *layer, *other_layer;
    const struct channel_kind *channel, *other_channel;
    uint64_t least_bytes, most_bytes;
};

static int ask_ratio(const struct report_row *row, const struct ratio *r, struct report_range *out)
{
    *out = (struct report_range){NAN, NAN};
    for (uint64_t bytes = r->least_bytes; bytes <= r->most_bytes; bytes *= 2) {
        double one_s, other_s;
        int code = time_of(row, r->layer, r->channel, P2P_PINGPONG, bytes, &one_s);
        code = code ? code : time_of(row, r->other_layer, r->other_channel, P2P_PINGPONG, bytes, &other_s);
        if (code)
            return code;
        out->low = fmin(out->low, one_s / other_s);
        out->high = fmax(out->high, one_s / other_s);
    }
    return 0;
}

static int ask_sr_to_er(const struct report_row *row, struct report_range *out)
{
    struct ratio r = {"ch4", "ch4", &channel_kind_zc, &channel_kind_combined, 1, EAGER_MOST_BYTES};
    return ask_ratio(row, &r, out);
}

static int ask_ch4_to_ch3(const struct report_row *row, struct report_range *out)
{
    const struct channel_kind *channel = channel_kind_find(row->subject);
    struct ratio r = {"ch4", "ch3", channel, channel, 1, PINGPONG_MOST_BYTES};
    return ask_ratio(row, &r, out);
}

/* To that of SR, or of the other layer over ER. */
static int ask_half(const struct report_row *row, struct report_range *out)
{
    struct tianhe_point one = {.layer = "ch4", .channel = &channel_kind_combined, .window = TIANHE_WINDOW,
                               .change = row->change_nic}, other = one;
    double one_bytes, other_bytes, peak;
    if (strcmp(row->subject, "sr") == 0)
        other.channel = &channel_kind_zc;
    else
        other.layer = row->subject;
    int code = tianhe_half_peak(&one, &one_bytes, &peak);
    code = code ? code : tianhe_half_peak(&other, &other_bytes, &peak);
    return code ? code : tell(out, one_bytes / other_bytes, one_bytes / other_bytes);
}

static int ask_peak(const struct report_row *row, struct report_range *out)
{
    struct tianhe_point point = {
        .layer = row->subject, .channel = &channel_kind_combined, .window = TIANHE_WINDOW, .change = row->change_nic};
    struct nic nic = *nic_find("tianhe");
    double bytes, peak;
    int code = tianhe_half_peak(&point, &bytes, &peak);
    if (row->change_nic)
        row->change_nic(&nic);
    peak *= nic.link_byte_ns.value * 1e-9;
    return code ? code : tell(out, peak, peak);
}

static int ask_rate(const struct report_row *row, struct report_range *out)
{
    double s;
    int code = time_of(row, row->subject, &channel_kind_er, P2P_STREAM, 1, &s);
    return code ? code : tell(out, 1e-6 / s, 1e-6 / s);
}

/* With rings of so many bytes. */
static int ask_ahead(const struct report_row *row, struct report_range *out)
{
    uint32_t fragment = row->bytes / 4 < RING_FRAGMENT_BYTES ? (uint32_t)row->bytes / 4 : RING_FRAGMENT_BYTES;
    *out = (struct report_range){NAN, NAN};
    for (uint64_t bytes = 128; bytes <= 4096; bytes *= 2) {
        struct tianhe_point point = {"ch4", &channel_kind_er, P2P_STREAM, bytes, TIANHE_RATE_WINDOW, fragment,
                                     (uint32_t)row->bytes / fragment, row->change_nic};
        double ch4_s, ch3_s;
        int code = tianhe_time(&point, &ch4_s);
        point.layer = "ch3";
        code = code ? code : tianhe_time(&point, &ch3_s);
        if (code)
            return code;
        out->low = fmin(out->low, ch4_s / ch3_s);
        out->high = fmax(out->high, ch4_s / ch3_s);
    }
    return 0;
}

/* ---- memory ---- */

struct everybody {
    uint32_t procs;
};

static uint32_t to_all(const void *context, uint32_t rank, uint32_t round)
{
    const struct everybody *all = context;
    return (rank + round + 1) % all->procs;
}

static uint32_t to_neighbours(const void *context, uint32_t rank, uint32_t round)
{
    const struct everybody *all = context;
    uint32_t hop = round / 2 * 2 + 1;
    return (rank + (round % 2 ? all->procs - hop : hop)) % all->procs;
}

/* Of one rank: counted message by message where that is not too many, else by the form. */
static int memory_of(const struct channel_kind *kind, uint32_t procs, uint32_t peers, double *bytes)
{
    struct channel_shape shape = channel_shape_default(kind);
    struct everybody all = {procs};
    struct sim_channel_traffic traffic = {procs, peers, peers < procs - 1 ? to_neighbours : to_all, &all};
    struct channel_use use = {procs, peers, peers, peers};
    struct sim_channel_counted counted;
    *bytes = (double)channel_memory_bytes(kind, &shape, &use);
    if (peers > COUNTED_MOST)
        return 0;
    if (sim_channel_count(kind, &shape, &traffic, &counted))
        return talk_fail(EXIT_UNABLE, "out of memory for %u ranks", procs);
    *bytes = (double)counted.bytes / procs;
    return 0;
}

static int ask_memory(const struct report_row *row, struct report_range *out)
{
    double combined = 0, er = 0;
    int code = memory_of(&channel_kind_combined, (uint32_t)row->bytes, (uint32_t)row->bytes - 1, &combined);
    code = code ? code : memory_of(&channel_kind_er, (uint32_t)row->bytes, (uint32_t)row->bytes - 1, &er);
    return code ? code : tell(out, combined / er, combined / er);
}

static int ask_idle(const struct report_row *row, struct report_range *out)
{
    struct channel_shape shape = channel_shape_default(&channel_kind_combined);
    double few = 0, many = 0;
    int code = memory_of(&channel_kind_combined, 64, TORUS_NEIGHBOURS, &few);
    code = code ? code : memory_of(&channel_kind_combined, (uint32_t)row->bytes, TORUS_NEIGHBOURS, &many);
    few -= (double)channel_memory_fixed_bytes(&channel_kind_combined, &shape, 64);
    many -= (double)channel_memory_fixed_bytes(&channel_kind_combined, &shape, (uint32_t)row->bytes);
    return code ? code : tell(out, many / few, many / few);
}

/* ---- what is changed ---- */

static void one_lane(struct nic *nic)
{
    nic->link_byte_ns = quantity_of(8 / 14.0, "varied");
}

static void wide_descriptors(struct nic *nic)
{
    nic->immediate_bytes = CHANNEL_QUEUE_PAYLOAD_BYTES + 16;
}

static void slow_messages(struct nic *nic)
{
    for (size_t i = 0; i < nic->layers; i++)
        if (strcmp(nic->layer[i].name, "ch4") == 0)
            nic->layer[i].receive_ns.value += 80;
}

#define ASKED(name, number, question, about, of) .id = name, .figure = number, .ask = question, .subject = about, .bytes = of
#define GIVEN .given = 1
#define IF(text, function) .if_so = text, .change_nic = function

static const struct report_row rows[] = {
    {ASKED("f6.uct", 6, ask_latency, "uct", 8), GIVEN},
    {ASKED("f6.ucp", 6, ask_latency, "ucp", 1), GIVEN},
    {ASKED("f6.ofi", 6, ask_latency, "ofi", 1), GIVEN},
    {ASKED("f6.ch4", 6, ask_latency, "ch4", 1), GIVEN},
    {ASKED("f6.ch3", 6, ask_latency, "ch3", 1), GIVEN},
    {ASKED("f6.raw", 6, ask_raw, NULL, 0), GIVEN},
    {ASKED("f7.gap", 7, ask_gap, NULL, 1024)},
    {ASKED("f7.sr.er", 7, ask_sr_to_er, NULL, 0), .cause = 1},
    {ASKED("f7.sr.er", 7, ask_sr_to_er, NULL, 0), IF("a descriptor carries what a packet does", wide_descriptors)},
    {ASKED("f7.er", 7, ask_ch4_to_ch3, "combined", 0)},
    {ASKED("f7.sr", 7, ask_ch4_to_ch3, "zc", 0)},
    {ASKED("f8.half", 8, ask_half, "sr", 0)},
    {ASKED("f8.half", 8, ask_half, "sr", 0), IF("14 Gbit/s is the port, not a lane", one_lane)},
    {ASKED("f8.short", 8, ask_half, "ch3", 0)},
    {ASKED("f8.peak.ch4", 8, ask_peak, "ch4", 0)},
    {ASKED("f8.peak.ch3", 8, ask_peak, "ch3", 0)},
    {ASKED("f9.ch4", 9, ask_rate, "ch4", 0), GIVEN},
    {ASKED("f9.ch3", 9, ask_rate, "ch3", 0), GIVEN},
    {ASKED("f9.ahead", 9, ask_ahead, NULL, 65536), .cause = 2},
    {ASKED("f9.ahead", 9, ask_ahead, NULL, 65536), IF("CH4's busier end takes 80 ns more", slow_messages)},
    {ASKED("f9.ahead", 9, ask_ahead, NULL, 65536), IF("14 Gbit/s is the port, not a lane", one_lane)},
    {ASKED("f9.ahead", 9, ask_ahead, NULL, 32768), IF("rings have 32 KiB, not 64", NULL)},
    {ASKED("f9.ahead", 9, ask_ahead, NULL, 8192), IF("rings have 8 KiB, not 64", NULL)},
    {ASKED("m.1024", 0, ask_memory, NULL, 1024)},
    {ASKED("m.65536", 0, ask_memory, NULL, 65536)},
    {ASKED("m.idle", 0, ask_idle, NULL, 65536)},
    {.id = NULL},
};

const struct report_source report_source_s2 = {.name = "s2", .published = "published_s2.csv", .rows = rows, .notes = notes};
