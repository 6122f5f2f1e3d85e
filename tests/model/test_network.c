/* Networks: their words, and the costs in integers that follow. */
#include "tests/model/cmocka_all.h"

#include "model/network.h"

#include <errno.h>
#include <string.h>

static struct loggp parsed(const char *text)
{
    struct network network;
    char reason[200] = "";
    if (network_parse(text, &network, reason, sizeof reason))
        fail_msg("%s: %s", text, reason);
    return network_loggp(&network);
}

static void assert_costs(struct loggp got, struct loggp want)
{
    assert_int_equal(got.latency_ps, want.latency_ps);
    assert_int_equal(got.overhead_ps, want.overhead_ps);
    assert_int_equal(got.gap_ps, want.gap_ps);
    assert_int_equal(got.receiver_gap_ps, want.receiver_gap_ps);
    assert_int_equal(got.byte_fs, want.byte_fs);
}

static void words_are_costs(void **state)
{
    (void)state;
    assert_costs(parsed("loggp"), (struct loggp){2500000, 1500000, 1000000, 1000000, 6000000});
    assert_costs(parsed("loggp:L=1.25us,o=0ns,G=40ps"), (struct loggp){1250000, 0, 1000000, 1000000, 40000});
    assert_costs(parsed("loggp:g=3ns"), (struct loggp){2500000, 1500000, 3000, 3000, 6000000});
    assert_costs(parsed("loggp:gr=7ns,g=3ns"), (struct loggp){2500000, 1500000, 3000, 7000, 6000000});
    assert_costs(parsed("loggp:G=0.571429ns,L=1s,o=2ms"), (struct loggp){1000000000000, 2000000000, 1000000, 1000000, 571429});
}

/* What is written reads back as the same. */
static void format_is_read_back(void **state)
{
    (void)state;
    static const char *const texts[] = {"loggp", "loggp:L=1.2345us,o=17ps,g=1s,G=0.001ps,gr=3ms"};
    for (size_t i = 0; i < 2; i++) {
        struct network network;
        char reason[200], text[120];
        assert_int_equal(network_parse(texts[i], &network, reason, sizeof reason), 0);
        assert_costs(parsed(network_format(&network, text, sizeof text)), network_loggp(&network));
    }
}

static void wrong_words_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"", "unknown network"},          {"log", "unknown network"},           {"loggpx", "unknown network"},
        {"loggp:", "no parameter"},       {"loggp:L", "no parameter"},          {"loggp:L=1us,", "no parameter"},
        {"loggp:l=1us", "no parameter"},  {"loggp:L=", "not a time"},           {"loggp:L=1", "not a time"},
        {"loggp:L=-1us", "not a time"},   {"loggp:L=nanns", "not a time"},      {"loggp:L=1us2", "not a time"},
        {"loggp:L=1u", "not a time"},     {"loggp:L=1usx,o=1ns", "not a time"}, {"loggp:L=2s", "at most 1s"},
        {"loggp:L=1e300s", "at most 1s"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct network network;
        char reason[200] = "";
        assert_int_equal(network_parse(wrong[i][0], &network, reason, sizeof reason), -EINVAL);
        if (!strstr(reason, wrong[i][1]))
            fail_msg("'%s': reason \"%s\" lacks \"%s\"", wrong[i][0], reason, wrong[i][1]);
    }
}

/* The two parts of the product together are the product. */
static void streams_do_not_overflow(void **state)
{
    (void)state;
    struct loggp p = {.byte_fs = 571429};
    uint64_t sizes[] = {0, 1, 2, 3, 999, 1000, 1001, 1002, 123456789, UINT64_C(1) << 40};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned __int128 after_first = sizes[i] ? sizes[i] - 1 : 0;
        assert_int_equal(loggp_stream_ps(&p, sizes[i]), (uint64_t)((after_first * p.byte_fs + 500) / 1000));
    }
    p.byte_fs = UINT64_C(1000000000000);
    assert_true(loggp_stream_ps(&p, (UINT64_C(1) << 30) + 1) == (UINT64_C(1) << 30) * 1000000000);
}

/* Textbook cases, worked by hand: L 5, o 2, g 4 ns, and no time for bytes. */
static void small_cases(void **state)
{
    (void)state;
    static const struct {
        const struct schedule_algorithm *algorithm;
        uint32_t procs;
        uint64_t ns;
    } cases[] = {{&schedule_ring, 1, 0},      {&schedule_ring, 2, 9},     {&schedule_ring, 4, 27},
                 {&schedule_bruck, 5, 27},    {&schedule_binomial, 2, 9}, {&schedule_binomial, 3, 13},
                 {&schedule_binomial, 8, 27}, {&schedule_binomial, 5, 22}};
    struct loggp p = {5000, 2000, 4000, 4000, 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct schedule schedule;
        uint64_t time_ps;
        assert_int_equal(schedule_init(&schedule, cases[i].algorithm, cases[i].procs, 0), 0);
        assert_int_equal(loggp_schedule_ps(&p, &schedule, 1, &time_ps), 0);
        assert_int_equal(time_ps, cases[i].ns * 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_costs),
        cmocka_unit_test(format_is_read_back),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(streams_do_not_overflow),
        cmocka_unit_test(small_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
