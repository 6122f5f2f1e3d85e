/* What S2's figures must show when simulated: the gap of its channels, the size of half the peak, and where its two MPIs
 * cross. */
#include "tests/model/cmocka_all.h"

#include "experiments/figure.h"
#include "experiments/figure_tianhe.h"

#include <stdlib.h>
#include <string.h>

static double time_us(const char *layer, const struct channel_kind *channel, enum p2p_pattern pattern, uint64_t bytes,
                      uint32_t fragment, uint32_t slots)
{
    struct tianhe_point point = {layer, channel, pattern, bytes, TIANHE_RATE_WINDOW, fragment, slots, 0};
    double time_s;
    assert_int_equal(tianhe_time(&point, &time_s), 0);
    return time_s * 1e6;
}

/* Fig. 7: what no packet holds needs a packet and a get over SR, one put over ER. */
static void er_is_below_sr(void **state)
{
    (void)state;
    for (uint64_t bytes = 256; bytes <= 16384; bytes *= 2) {
        double er_us = time_us("ch4", &channel_kind_combined, P2P_PINGPONG, bytes, 0, 0);
        double sr_us = time_us("ch4", &channel_kind_zc, P2P_PINGPONG, bytes, 0, 0);
        assert_true(sr_us > er_us + 0.5 && sr_us < er_us + 1.5);
    }
    /* What is fetched over both takes the same. */
    assert_near(time_us("ch4", &channel_kind_combined, P2P_PINGPONG, 1 << 20, 0, 0),
                time_us("ch4", &channel_kind_zc, P2P_PINGPONG, 1 << 20, 0, 0), 0.01);
}

/* Fig. 8. */
static void half_the_peak_is_sooner_over_er(void **state)
{
    (void)state;
    struct tianhe_point er = {.layer = "ch4", .channel = &channel_kind_combined, .window = TIANHE_WINDOW}, sr = er, ch3 = er;
    double er_bytes, sr_bytes, ch3_bytes, peak, ch3_peak;
    sr.channel = &channel_kind_zc;
    ch3.layer = "ch3";
    assert_int_equal(tianhe_half_peak(&er, &er_bytes, &peak), 0);
    assert_int_equal(tianhe_half_peak(&sr, &sr_bytes, &peak), 0);
    assert_int_equal(tianhe_half_peak(&ch3, &ch3_bytes, &ch3_peak), 0);
    assert_true(er_bytes < sr_bytes && er_bytes < ch3_bytes);
    assert_near(peak, ch3_peak, 0.01 * peak);
}

/* Fig. 9, of which the simulation shows a part: with room in the ring CH3 is nowhere ahead, with short rings from some size
 * on. */
static void short_rings_are_where_ch3_is_ahead(void **state)
{
    (void)state;
    for (uint64_t bytes = 1; bytes <= 4096; bytes *= 8) {
        double ch4_us = time_us("ch4", &channel_kind_er, P2P_STREAM, bytes, 8192, 8);
        assert_true(ch4_us < time_us("ch3", &channel_kind_er, P2P_STREAM, bytes, 8192, 8));
    }
    for (uint64_t bytes = 512; bytes <= 4096; bytes *= 2)
        assert_true(time_us("ch4", &channel_kind_er, P2P_STREAM, bytes, 2048, 4) >
                    time_us("ch3", &channel_kind_er, P2P_STREAM, bytes, 2048, 4));
    for (uint64_t bytes = 1; bytes <= 64; bytes *= 8) /* immediate puts claim no room that they do not use */
        assert_true(time_us("ch4", &channel_kind_er, P2P_STREAM, bytes, 2048, 4) <
                    time_us("ch3", &channel_kind_er, P2P_STREAM, bytes, 2048, 4));
}

/* Counted, where it is, as the form has it; all-ER against combined at 65,536 ranks. */
static void memory_is_counted_as_the_form_has_it(void **state)
{
    (void)state;
    struct settings settings = {.command = "figure"};
    char *text = NULL, pattern[16], channel[16];
    size_t bytes;
    FILE *csv = open_memstream(&text, &bytes);
    unsigned procs, peers, counts = 0;
    double fixed, form, counted, er = 0, combined = 0;
    assert_int_equal(figure_tianhe_memory(csv, &settings), 0);
    fclose(csv);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        int n = sscanf(line, "%15[^,],%15[^,],%u,%u,%lf,%lf,%lf", pattern, channel, &procs, &peers, &fixed, &form, &counted);
        if (n == 7)
            assert_true(counted == form);
        counts += n == 7;
        er = n >= 6 && procs == 65536 && !strcmp(pattern, "all") && !strcmp(channel, "er") ? form : er;
        combined = n >= 6 && procs == 65536 && !strcmp(pattern, "all") && !strcmp(channel, "combined") ? form : combined;
    }
    assert_int_equal(counts, 45);
    assert_true(er > 50 * combined && combined > 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(er_is_below_sr),          cmocka_unit_test(half_the_peak_is_sooner_over_er),
        cmocka_unit_test(short_rings_are_where_ch3_is_ahead), cmocka_unit_test(memory_is_counted_as_the_form_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
