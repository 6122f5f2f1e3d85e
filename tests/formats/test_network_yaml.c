/* Network files: written and read again they are identical; every fault is found where it is; names and layers lead to them. */
#include "formats_case.h"

#include "model/formats/network_load.h"
#include "model/formats/network_presets.h"
#include "model/formats/network_yaml.h"
#include "model/nic_cost.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COSTS "latency_ns: 700\noverhead_ns: {value: 150, low: 100, high: 200, source: \"measured\"}\ngap_ns: 50\nbyte_ns: 0.04\n"

static struct network parsed(const char *text)
{
    struct network network;
    char reason[300] = "";
    if (network_yaml_parse("n.yaml", text, strlen(text), &network, reason, sizeof reason))
        fail_msg("%s", reason);
    return network;
}

static void assert_round_trip(const struct network *network)
{
    char *text, *second;
    size_t bytes, second_bytes;
    assert_int_equal(network_yaml_format(network, &text, &bytes), 0);
    struct network again = parsed(text);
    assert_int_equal(network_yaml_format(&again, &second, &second_bytes), 0);
    assert_string_equal(text, second);
    assert_memory_equal(&again.latency_ns.value, &network->latency_ns.value, sizeof(double));
    assert_memory_equal(&again.byte_ns.value, &network->byte_ns.value, sizeof(double));
    assert_string_equal(again.receiver_gap_ns.source, network->receiver_gap_ns.source);
    assert_int_equal(again.kind, network->kind);
    assert_int_equal(again.layers, network->layers);
    free(text);
    free(second);
}

static void test_presets_survive(void **state)
{
    (void)state;
    for (const struct network *preset = network_presets; *preset->name; preset++) {
        assert_round_trip(preset);
        if (preset->kind == NETWORK_FAT_TREE)
            assert_true(fat_tree_room(preset->levels, preset->radix, preset->oversubscription) > 0);
    }
}

/* What S2 says of its layers comes out of a preset again: one way of a byte, and messages a second. */
static void test_tianhe_is_as_published(void **state)
{
    static const struct {
        const char *spec;
        double latency_us, rate_per_s;
    } layers[] = {{"tianhe:uct", 0.89, 0}, {"tianhe:ucp", 0.91, 0}, {"tianhe", 0.95, 5.4e6}, {"tianhe:ch4", 0.95, 5.4e6},
                  {"tianhe:ch3", 1.07, 3.8e6}};
    (void)state;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        struct network n;
        char reason[300];
        assert_int_equal(network_load(layers[i].spec, &n, reason, sizeof reason), 0);
        assert_string_equal(n.name, layers[i].spec);
        struct loggp p = network_loggp(&n);
        double gap_ps = (double)(p.gap_ps > p.overhead_ps ? p.gap_ps : p.overhead_ps);
        assert_true(fabs((double)(2 * p.overhead_ps + p.latency_ps) * 1e-6 - layers[i].latency_us) < 1e-6);
        assert_true(layers[i].rate_per_s == 0 || fabs(1e12 / gap_ps / layers[i].rate_per_s - 1) < 1e-3);
    }
}

/* A preset and its interface are two descriptions of one thing: a byte takes as long on the link, one byte from memory to memory
 * too. */
static void test_interfaces_are_of_their_networks(void **state)
{
    int described = 0;
    (void)state;
    for (const struct network *preset = network_presets; *preset->name; preset++) {
        const struct nic *nic = nic_find(preset->name);
        struct channel_shape shape;
        assert_int_equal(channel_shape_remote(&channel_kind_er, 8192, 8, &shape), 0);
        for (size_t i = 0; nic && i < nic->layers; i++) {
            struct network n = *preset;
            struct nic_ps costs = nic_ps_of(nic, &nic->layer[i]);
            struct nic_message m = {&channel_kind_er, &shape, 1, 0};
            uint64_t ps;
            assert_true(preset->layers == 0 ? nic->layers == 1 : network_layer_apply(&n, nic->layer[i].name) == 0);
            struct loggp p = network_loggp(&n);
            uint64_t bus_fs = costs.byte_fs[NIC_STAGE_BUS_OUT], link_fs = costs.byte_fs[NIC_STAGE_LINK];
            assert_int_equal(bus_fs > link_fs ? bus_fs : link_fs, p.byte_fs);
            assert_int_equal(nic_message_ps(&costs, &m, &ps), 0);
            if (fabs((double)ps - (double)(2 * p.overhead_ps + p.latency_ps)) > 1500)
                fail_msg("%s, layer %s: %.4f us by its stages, %.4f us by LogGP", preset->name, nic->layer[i].name,
                         (double)ps * 1e-6, (double)(2 * p.overhead_ps + p.latency_ps) * 1e-6);
            described++;
        }
    }
    assert_int_equal(described, 6 + 1 + 1);
}

static void test_what_is_left_out(void **state)
{
    (void)state;
    struct network n = parsed(COSTS);
    assert_int_equal(n.kind, NETWORK_LOGGP);
    assert_true(n.receiver_gap_ns.value == 50);
    assert_string_equal(n.latency_ns.source, "network file");
    assert_string_equal(n.overhead_ns.source, "measured");
    n = parsed("kind: fat_tree\nlevels: 2\nradix: 36\n" COSTS);
    assert_true(n.oversubscription == 1);
    assert_int_equal(network_switch_ps(&n), 0);
    assert_int_equal(network_link_byte_fs(&n), 40000);
    n = parsed("kind: fat_tree\nlevels: 3\nradix: 36\noversubscription: 2\nswitch_ns: 0.5\nlink_byte_ns: 0.01\n" COSTS
               "layers:\n- {name: a, gap_ns: 3}\n- {name: b, overhead_ns: 9}\n");
    assert_int_equal(network_switch_ps(&n), 500);
    assert_int_equal(network_link_byte_fs(&n), 10000);
    assert_int_equal(network_layer_apply(&n, "c"), -ENOENT);
    assert_int_equal(network_layer_apply(&n, "b"), 0);
    assert_true(n.overhead_ns.value == 9 && n.gap_ns.value == 50);
    assert_round_trip(&n);
}

/* What YAML takes for an end of line, controls and marks of byte order come back as they were, as do letters of any language. */
static void test_any_text_comes_back(void **state)
{
    static const char *const texts[][2] = {
        {"a\\Nb\\Lc\\Pd", "a\xc2\x85" "b\xe2\x80\xa8" "c\xe2\x80\xa9" "d"},
        {"\\x80\\x9f\\xa0", "\xc2\x80\xc2\x9f\xc2\xa0"},
        {"\\uFEFF \\uFFFE \\uFFFF", "\xef\xbb\xbf \xef\xbf\xbe \xef\xbf\xbf"},
        {"\\e\\t\\\"\\\\ \xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80", "\x1b\t\"\\ \xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[400];
        snprintf(text, sizeof text, COSTS "receiver_gap_ns: {value: 50, source: \"%s\"}\n", texts[i][0]);
        struct network n = parsed(text);
        assert_string_equal(n.receiver_gap_ns.source, texts[i][1]);
        assert_round_trip(&n);
    }
}

static void test_faults_have_places(void **state)
{
    static const char *const faults[][2] = {
        {"", "n.yaml"},
        {"kind: torus\n" COSTS, "n.yaml:1:7: unknown kind of network"},
        {COSTS "kind: [switch]\n", "n.yaml:5:7: unknown kind"},
        {"latency_ns: 700\ngap_ns: 50\nbyte_ns: 1\n", "n.yaml:1:1: a network without overhead_ns, add"},
        {COSTS "latency: 3\n", "n.yaml:5:1: unknown key latency, did you mean latency_ns?"},
        {COSTS "gap_ns: 3\n", "n.yaml:5:1: key gap_ns given twice"},
        {"byte_ns: fast\n" COSTS, "n.yaml:1:10: expected a number"},
        {"latency_ns: -1\n", "n.yaml:1:13: -1 is out of range"},
        {"latency_ns: 2e9\n", "n.yaml:1:13: 2e9 is out of range"},
        {"gap_ns: {value: 5, low: 6}\n", "n.yaml:1:9: 5 is outside its interval"},
        {"kind: switch\n" COSTS "radix: 36\n", "n.yaml:6:8: radix is of a fat_tree"},
        {"kind: fat_tree\nradix: 36\n" COSTS, "a fat_tree needs its shape"},
        {"kind: fat_tree\nlevels: 9\n" COSTS, "n.yaml:2:9: 9 is out of range, give 1 to 4"},
        {"kind: fat_tree\nlevels: 2\nradix: 4K\n" COSTS, "n.yaml:3:8: 4K has a bad suffix"},
        {"kind: fat_tree\nlevels: 2\nradix: 2\noversubscription: 9\n" COSTS, "leave no link up or down"},
        {COSTS "layers: 3\n", "n.yaml:5:9: expected a list"},
        {COSTS "layers:\n- {gap_ns: 3}\n", "n.yaml:6:3: a layer without a name"},
        {COSTS "layers:\n- {name: a}\n- {name: a}\n", "n.yaml:7:10: layer a given twice"},
        {COSTS "layers:\n- {name: 'a:b'}\n", "n.yaml:6:10: a layer's name"},
        {COSTS "layers:\n- {name: a, gap_ns: x}\n", "n.yaml:6:21: expected a number"},
        {"kind: switch\n  byte_ns: 3\n", "n.yaml:2:"},
        {"- 3\n", "n.yaml:1:1: expected 'key: value' pairs"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct network network;
        char reason[300] = "";
        int err = network_yaml_parse("n.yaml", faults[i][0], strlen(faults[i][0]), &network, reason, sizeof reason);
        if (err != -EINVAL || !strstr(reason, faults[i][1]) || strchr(reason, '\n'))
            fail_msg("'%s' gives %d, '%s', not '%s'", faults[i][0], err, reason, faults[i][1]);
    }
}

static void test_names_lead_to_networks(void **state)
{
    static const char *const faults[][2] = {
        {"torus", "unknown network 'torus'"},          {"./no/such.yaml", "no/such.yaml"},
        {"tianhe:ch5", "no layer 'ch5': use glex, uct, ucp"}, {"gigabit:ch4", "has no layers"},
        {"switch:L=5", "not a time"},                   {"loggpx", "unknown network"},
    };
    char path[] = "/tmp/network-XXXXXX", layered[64], reason[300] = "";
    struct network n;
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        assert_int_not_equal(network_load(faults[i][0], &n, reason, sizeof reason), 0);
        if (!strstr(reason, faults[i][1]))
            fail_msg("'%s': '%s' lacks '%s'", faults[i][0], reason, faults[i][1]);
    }
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs("kind: switch\n" COSTS "layers:\n- {name: top, overhead_ns: 1}\n", file);
    fclose(file);
    int plain = network_load(path, &n, reason, sizeof reason), named = strcmp(n.name, path + 5);
    snprintf(layered, sizeof layered, "%s:top", path);
    int with = network_load(layered, &n, reason, sizeof reason);
    unlink(path);
    assert_int_equal(plain, 0);
    assert_int_equal(named, 0);
    assert_int_equal(with, 0);
    assert_true(n.overhead_ns.value == 1);
    assert_int_equal(network_load("switch:o=3us", &n, reason, sizeof reason), 0);
    assert_int_equal(n.kind, NETWORK_SWITCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets_survive),
        cmocka_unit_test(test_tianhe_is_as_published),
        cmocka_unit_test(test_interfaces_are_of_their_networks),
        cmocka_unit_test(test_any_text_comes_back),
        cmocka_unit_test(test_what_is_left_out),
        cmocka_unit_test(test_faults_have_places),
        cmocka_unit_test(test_names_lead_to_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
