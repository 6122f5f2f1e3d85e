/* S2's text against the simulation, line by line: what went in, what agrees, what does not, and why. Verdicts are computed. */
#include "experiments/figure.h"
#include "experiments/figure_tianhe.h"

#include <math.h>
#include <stdio.h>

enum { TEXT_BYTES = 400 };

static void line(FILE *csv, const char *figure, const char *what, const char *paper, const char *simulated, const char *verdict,
                 const char *cause)
{
    fprintf(csv, "%s,%s,\"%s\",\"%s\",%s,\"%s\"\n", figure, what, paper, simulated, verdict, cause);
}

static int time_of(const char *layer, const struct channel_kind *channel, enum p2p_pattern pattern, uint64_t bytes, double *time_s)
{
    struct tianhe_point point = {layer, channel, pattern, bytes, pattern == P2P_STREAM ? TIANHE_RATE_WINDOW : 1, 0, 0, 0};
    return tianhe_time(&point, time_s);
}

static const char *verdict_of(int agrees)
{
    return agrees ? "agrees" : "deviates";
}

static int stated(FILE *csv)
{
    static const struct {
        const char *layer, *paper;
        uint64_t bytes;
    } layers[] = {{"uct", "0.89 us", 8}, {"ucp", "0.91 us", 1}, {"ofi", "0.92 us", 1}, {"ch4", "0.95 us", 1}, {"ch3", "1.07 us", 1}};
    char what[TEXT_BYTES], text[TEXT_BYTES];
    double time_s;
    int code = 0;
    for (size_t i = 0; i < sizeof layers / sizeof *layers && !code; i++) {
        code = time_of(layers[i].layer, &channel_kind_er, P2P_PINGPONG, layers[i].bytes, &time_s);
        snprintf(what, sizeof what, "%s latency over ER", layers[i].layer);
        snprintf(text, sizeof text, "%.3f us", time_s * 1e6);
        line(csv, "6", what, layers[i].paper, text, "given", "calibrated to it");
    }
    for (size_t i = 3; i < 5 && !code; i++) {
        code = time_of(layers[i].layer, &channel_kind_er, P2P_STREAM, 1, &time_s);
        snprintf(what, sizeof what, "%s rate of immediate puts", layers[i].layer);
        snprintf(text, sizeof text, "%.2f M/s", 1e-6 / time_s);
        line(csv, "9", what, i == 3 ? "5.4 M/s" : "3.8 M/s", text, "given", "calibrated to it; the receiver taken for the busier");
    }
    return code;
}

/* ER below SR: where a packet carries the message, and where it only tells of it. */
static int gap(FILE *csv)
{
    char text[TEXT_BYTES];
    double er_s[3] = {0}, sr_s[3] = {0};
    static const uint64_t sizes[] = {1, 128, 1024};
    int code = 0;
    for (size_t i = 0; i < 3 && !code; i++) {
        code = time_of("ch4", &channel_kind_combined, P2P_PINGPONG, sizes[i], &er_s[i]);
        code = code ? code : time_of("ch4", &channel_kind_zc, P2P_PINGPONG, sizes[i], &sr_s[i]);
    }
    snprintf(text, sizeof text, "SR - ER %.3f us at 1 KiB", (sr_s[2] - er_s[2]) * 1e6);
    line(csv, "7", "gap of SR and ER", "SR needs a packet and a get: slower", text, verdict_of(sr_s[2] > er_s[2]),
         "a crossing there and back more; less the put's read of memory");
    snprintf(text, sizeof text, "SR - ER %.3f us at 1 B", (sr_s[0] - er_s[0]) * 1e6);
    line(csv, "6", "gap of the shortest", "drawn; no number in the text", text, "open",
         "a packet and an immediate put cross the same stages; what a queue shared by all costs the interface is not known");
    snprintf(text, sizeof text, "SR - ER %.3f us at 128 B", (sr_s[1] - er_s[1]) * 1e6);
    line(csv, "7", "gap where a packet holds what a put has to read", "SR not below ER", text, verdict_of(sr_s[1] >= er_s[1]),
         "packets of 224 bytes are ours; S2's may be shorter");
    return code;
}

static int bandwidth(FILE *csv)
{
    struct tianhe_point er = {.layer = "ch4", .channel = &channel_kind_combined, .window = TIANHE_WINDOW}, sr = er, ch3 = er;
    double er_bytes, sr_bytes, ch3_bytes, peak, ch3_peak;
    char text[TEXT_BYTES];
    sr.channel = &channel_kind_zc;
    ch3.layer = "ch3";
    int code = tianhe_half_peak(&er, &er_bytes, &peak);
    code = code ? code : tianhe_half_peak(&sr, &sr_bytes, &peak);
    code = code ? code : tianhe_half_peak(&ch3, &ch3_bytes, &ch3_peak);
    if (code)
        return code;
    snprintf(text, sizeof text, "ER %.0f B; SR %.0f B", er_bytes, sr_bytes);
    line(csv, "8", "size of half peak bandwidth", "ER's is smaller", text, verdict_of(er_bytes < sr_bytes),
         "a message costs SR's cores two events and two posts more");
    snprintf(text, sizeof text, "CH4 %.0f B; CH3 %.0f B", er_bytes, ch3_bytes);
    line(csv, "8", "short messages' bandwidth", "CH4 slightly better", text, verdict_of(er_bytes < ch3_bytes), "less software a message");
    snprintf(text, sizeof text, "%.2f and %.2f GB/s; the link %.2f", peak * 1e-9, ch3_peak * 1e-9,
             1 / nic_find("tianhe")->link_byte_ns.value);
    line(csv, "8", "peak bandwidth of CH4 and CH3", "the hardware's; alike", text,
         verdict_of(fabs(peak / ch3_peak - 1) < 0.01 && peak * 1e-9 > 0.95 / nic_find("tianhe")->link_byte_ns.value),
         "heads of packets are the rest");
    return 0;
}

/* Of 128 B to 4 KiB, where CH3's rate is above CH4's. */
static int crossover(FILE *csv, uint32_t fragment_bytes, uint32_t slots, const char *cause)
{
    char what[TEXT_BYTES], text[TEXT_BYTES];
    uint64_t first = 0, last = 0;
    double most = 0;
    for (uint64_t size = 64; size <= 4096; size *= 2) {
        struct tianhe_point point = {"ch4", &channel_kind_er, P2P_STREAM, size, TIANHE_RATE_WINDOW, fragment_bytes, slots, 0};
        double ch4_s, ch3_s;
        int code = tianhe_time(&point, &ch4_s);
        point.layer = "ch3";
        code = code ? code : tianhe_time(&point, &ch3_s);
        if (code)
            return code;
        first = !first && ch3_s < ch4_s ? size : first;
        last = ch3_s < ch4_s ? size : last;
        most = ch3_s - ch4_s > most && size >= 128 ? ch3_s - ch4_s : most;
    }
    snprintf(what, sizeof what, "CH3 ahead with rings of %u KiB", fragment_bytes * slots / 1024);
    if (first)
        snprintf(text, sizeof text, "%llu B to %llu B", (unsigned long long)first, (unsigned long long)last);
    else
        snprintf(text, sizeof text, "nowhere; %.0f ns more for a put of CH4 would do it", most * 1e9);
    line(csv, "9", what, "slightly; 128 B to 4 KiB", text, first == 128 && last == 4096 ? "agrees" : first ? "in part" : "deviates", cause);
    return 0;
}

/* The port's rate is a lane's, it is assumed; what if not. */
static int lane(FILE *csv)
{
    struct tianhe_point er = {.layer = "ch4", .channel = &channel_kind_combined, .window = TIANHE_WINDOW, .link_byte_ns = 8 / 14.0}, sr = er;
    double er_bytes, sr_bytes, peak;
    char text[TEXT_BYTES];
    sr.channel = &channel_kind_zc;
    int code = tianhe_half_peak(&er, &er_bytes, &peak);
    code = code ? code : tianhe_half_peak(&sr, &sr_bytes, &peak);
    if (code)
        return code;
    snprintf(text, sizeof text, "ER %.0f B; SR %.0f B; peak %.2f GB/s", er_bytes, sr_bytes, peak * 1e-9);
    line(csv, "8", "the same if 14 Gbit/s is the port", "ER's is smaller", text, verdict_of(er_bytes < sr_bytes),
         "assumed is a lane of 8: PCIe 3 x16 beside 1.75 GB/s would be idle");
    return 0;
}

int figure_tianhe_table(FILE *csv, const struct settings *settings)
{
    (void)settings;
    fputs("figure,what,paper,simulated,verdict,cause\n", csv);
    int code = stated(csv);
    code = code ? code : gap(csv);
    code = code ? code : bandwidth(csv);
    code = code ? code : lane(csv);
    code = code ? code
                : crossover(csv, 8192, 8, "with room in the ring a callback that packs waits for nothing; S2 gives neither its time nor the ring");
    code = code ? code : crossover(csv, 8192, 4, "room for the longest is claimed before every put; what is left at the ring's end is lost");
    code = code ? code : crossover(csv, 2048, 4, "as above");
    return code;
}
