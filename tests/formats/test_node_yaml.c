/* Node files: written and read again they are identical; every fault is found where it is. */
#include "formats_case.h"

#include "model/formats/node_yaml.h"
#include "model/formats/presets.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANDOM_NODES = 200 };

static void assert_round_trip(const struct node *node)
{
    char *text, reason[300] = "";
    size_t bytes;
    struct node again;
    assert_int_equal(node_yaml_format(node, &text, &bytes), 0);
    int err = node_yaml_parse("again.yaml", text, bytes, &again, reason, sizeof reason);
    if (err)
        fail_msg("%s\n%s", reason, text);
    assert_node_equal(node, &again);
    node_destroy(&again);
    free(text);
}

static void test_random_nodes_survive(void **state)
{
    (void)state;
    const char *given = getenv("SHMCOLL_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    printf("seed %llu (SHMCOLL_TEST_SEED repeats it), %d nodes\n", (unsigned long long)seed, RANDOM_NODES);
    for (uint64_t i = 0; i < RANDOM_NODES; i++) {
        struct node node;
        random_node(seed + i, &node);
        assert_round_trip(&node);
        node_destroy(&node);
    }
}

static void test_presets_survive(void **state)
{
    (void)state;
    for (size_t i = 0; i < preset_count(); i++) {
        struct node node;
        assert_int_equal(preset_create(preset_name(i), &node), 0);
        assert_round_trip(&node);
        node_destroy(&node);
    }
}

static int parse(const char *text, struct node *out, char *reason, size_t reason_bytes)
{
    return node_yaml_parse("f.yaml", text, strlen(text), out, reason, reason_bytes);
}

static void test_short_forms(void **state)
{
    static const char text[] =
        "cores: 12\ndomains: 2\ncore_os: [0-5, 16-21]\ncore_cache: [0*6, 1*6]\nl2_bytes: 256K\nllc_bytes: 12M\n"
        "domain_memory_bytes: [32G, 16G]\nstore_ns: 7.5\natomic_ns: {value: 9, low: 8}\ncall_ns: null\n"
        "handover_ns: {same_cache: 40, cross_socket: {value: 118, source: measured}}\n";
    struct node node;
    char reason[300] = "";
    (void)state;
    assert_int_equal(parse(text, &node, reason, sizeof reason), 0);
    assert_int_equal(node.core_os[5], 5);
    assert_int_equal(node.core_os[6], 16);
    assert_int_equal(node.core_os[11], 21);
    assert_int_equal(node.core_cache[5], 0);
    assert_int_equal(node.core_cache[6], 1);
    assert_int_equal(node.core_domain[5], 0);
    assert_int_equal(node.core_domain[6], 1);
    assert_int_equal(node.sockets, 2);
    assert_int_equal(node.core_socket[11], 1);
    assert_int_equal(node.l2_bytes, 256 << 10);
    assert_int_equal(node.llc_bytes, 12 << 20);
    assert_true(node.domain_memory_bytes[0] == 32ull << 30);
    assert_true(node.store_ns.value == 7.5 && node.store_ns.low == 7.5 && node.store_ns.high == 7.5);
    assert_string_equal(node.store_ns.source, "node file");
    assert_true(node.atomic_ns.low == 8 && node.atomic_ns.high == 9);
    assert_false(quantity_known(&node.call_ns));
    assert_string_equal(node.handover_ns[HANDOVER_CROSS_SOCKET].source, "measured");
    assert_false(quantity_known(&node.handover_ns[HANDOVER_SAME_CORE]));
    assert_false(quantity_known(&node.step_ns));
    node_destroy(&node);
}

/* Text, and what the message must say. The text is chosen so that line and column cannot be right by accident. */
static const struct {
    const char *text, *message;
} broken[] = {
    {"", "f.yaml:1:1: nothing in it"},
    {"# only a comment\n", "f.yaml:1:1: nothing in it"},
    {"just words", "f.yaml:1:1: not a node file"},
    {"- 1\n- 2\n", "f.yaml:1:1: not a node file"},
    {"domains: 2\n", "f.yaml:1:1: 0 cores for 2 domains"},
    {"name: x\nkores: 4\n", "f.yaml:2:1: unknown key kores, did you mean cores?"},
    {"cores: 4\nname: [unclosed\nl1_bytes: 4K\n", "f.yaml:3:9: "},
    {"cores: 4\n\tname: x\n", "f.yaml:2:1: "},
    {"cores: 4\nname: \"open\n", "f.yaml:3:1: "},
    {"cores: 4\nname: \xff\xfe\n", "f.yaml:2:7: "},
    {"cores: 4\nhandover: {}\n", "f.yaml:2:1: unknown key handover, did you mean handover_ns?"},
    {"cores: 4\ncores: 5\n", "f.yaml:2:1: key cores given twice"},
    {"cores: 4\nhandover_ns:\n  same_cache: 1\n  same_socket: 2\n  same_cache: 3\n", "f.yaml:5:3: key same_cache given twice"},
    {"cores: four\n", "f.yaml:1:8: expected a whole number, found four"},
    {"cores: 0\n", "f.yaml:1:8: 0 is out of range, give 1 to 4096"},
    {"cores: 5000\n", "f.yaml:1:8: 5000 is out of range, give 1 to 4096"},
    {"cores: 4\ndomains: 300\n", "f.yaml:2:10: 300 is out of range, give 1 to 256"},
    {"cores: 99999999999999999999999\n", "f.yaml:1:8: 99999999999999999999999 is out of range"},
    {"cores: -4\n", "f.yaml:1:8: expected a whole number, found -4"},
    {"cores: \"4\"\n", "f.yaml:1:8: expected a whole number, found quoted text"},
    {"cores: 4K\n", "f.yaml:1:8: 4K has a bad suffix, give a plain whole number"},
    {"cores: 4\nl2_bytes: 256Q\n", "f.yaml:2:11: 256Q has a bad suffix, use K, M or G"},
    {"cores: 4\nl2_bytes: 256KB\n", "f.yaml:2:11: 256KB has a bad suffix"},
    {"cores: 4\nl2_bytes:\n", "f.yaml:2:10: expected a whole number, found nothing"},
    {"cores: 4\npage_bytes: 4097M\n", "f.yaml:2:13: 4097M is out of range"},
    {"cores: 4\nllc_bytes: 18446744073709551615G\n", "f.yaml:2:12: 18446744073709551615G is out of range"},
    {"cores: 4\nstore_ns: fast\n", "f.yaml:2:11: expected a number, found fast"},
    {"cores: 4\nstore_ns: 4K\n", "f.yaml:2:11: expected a number, found 4K"},
    {"cores: 4\nstore_ns: nan\n", "f.yaml:2:11: expected a number, found nan"},
    {"cores: 4\nstore_ns: 0x10\n", "f.yaml:2:11: expected a number, found 0x10"},
    {"cores: 4\nstore_ns: -1\n", "f.yaml:2:11: -1 is out of range"},
    {"cores: 4\nstore_ns: 1e999\n", "f.yaml:2:11: 1e999 is out of range"},
    {"cores: 4\nremote_ratio: 1.5\n", "f.yaml:2:15: 1.5 is out of range"},
    {"cores: 4\nstore_ns: [1]\n", "f.yaml:2:11: expected a number, found a list"},
    {"cores: 4\nstore_ns: {low: 1, high: 2}\n", "f.yaml:2:11: a quantity without a value"},
    {"cores: 4\nstore_ns: {value: 3, high: 2}\n", "f.yaml:2:11: 3 is outside its interval [3, 2]"},
    {"cores: 4\nstore_ns: {value: null, high: 2}\n", "f.yaml:2:11: an interval without a value"},
    {"cores: 4\nstore_ns:\n  value: 3\n  lo: 2\n", "f.yaml:4:3: unknown key lo, did you mean low?"},
    {"cores: 4\nstore_ns: {value: 3, source: [x]}\n", "f.yaml:2:30: expected text, found a list"},
    {"cores: 4\nhandover_ns: 40\n", "f.yaml:2:14: expected 'key: value' pairs, found 40"},
    {"cores: 4\nhandover_ns:\n  same_die: 40\n", "f.yaml:3:3: unknown key same_die"},
    {"cores: 4\n[1, 2]: 3\n", "f.yaml:2:1: expected a key, found a list"},
    {"cores: 4\ncontention_free: 1\n", "f.yaml:2:18: expected true or false, found 1"},
    {"cores: 4\ncontention_free: true\n", "f.yaml:2:18: contention_free without the four costs"},
    {"cores: 4\nname: 0123456789012345678901234567890123456789012345678901234567890123\n", "f.yaml:2:7: text of 64 bytes"},
    {"cores: 4\ncore_os: [0, 1, 2]\n", "f.yaml:2:10: core_os has 3 of 4 entries"},
    {"cores: 4\ncore_os: [0, 1, 2, 3,\n 4]\n", "f.yaml:3:2: core_os has more than 4 entries"},
    {"cores: 4\ncore_os: [0-900000000]\n", "f.yaml:2:11: 0-900000000 has a bad suffix"},
    {"cores: 4\ncore_os: [7*900000000]\n", "f.yaml:2:11: core_os has more than 4 entries"},
    {"cores: 4\ncore_os: [0, 1, 1, 3]\n", "f.yaml:2:10: core_os has 1 twice"},
    {"cores: 4\ncore_os: 0\n", "f.yaml:2:10: expected a list, found 0"},
    {"cores: 4\ndomains: 2\ncore_domain: [0, 1, 2, 1]\n", "f.yaml:3:14: core_domain puts core 2 into 2, but there are only 2"},
    {"cores: 4\ndomains: 2\ncore_domain: [1, 1, 1, 1]\n", "f.yaml:3:14: core_domain gives no core to 0"},
    {"cores: 4\nsockets: 3\ncore_socket: [0, 1, 1, 0]\n", "f.yaml:3:14: core_socket gives no core to 2"},
    {"cores: 2\ndomains: 3\n", "f.yaml:1:1: 2 cores for 3 domains"},
    {"cores: 4\ndomains: 2\ndistance: [[10, 20]]\n", "f.yaml:3:11: distance has 1 rows, give 2"},
    {"cores: 4\ndomains: 2\ndistance:\n  - [10, 20]\n  - [20]\n", "f.yaml:5:5: a row of 1 numbers in distance, give 2"},
    {"cores: 4\ndomains: 2\ndistance:\n  - [10, 20]\n  - [20, x]\n", "f.yaml:5:10: expected a number, found x"},
    {"cores: 2\npair_handover_ns:\n  - [0, 50]\n  - [~, -3]\n", "f.yaml:4:9: -3 is out of range"},
    {"cores: 2\npair_handover_ns: [[0, 50]]\n", "f.yaml:2:19: pair_handover_ns has 1 rows, give 2"},
    {"cores: 4\ncopy:\n  in_hot: {}\n", "f.yaml:3:3: unknown key in_hot"},
    {"cores: 4\ncopy:\n  in_cold:\n    per_byte: 1\n", "f.yaml:4:5: unknown key per_byte, did you mean s_per_byte?"},
    {"cores: 4\ncopy_points:\n  - {class: in_cold, fragment_bytes: 4K, queue_bytes: 64K}\n",
     "f.yaml:3:5: an entry of copy_points without time_s"},
    {"cores: 4\ncopy_points:\n  - {class: cold, fragment_bytes: 4K, queue_bytes: 64K, time_s: 1e-6}\n",
     "f.yaml:3:13: unknown copy class cold"},
    {"cores: 4\ncopy_points: {}\n", "f.yaml:2:14: expected a list, found a mapping"},
    {"cores: 4\nbandwidth:\n  - {cores: 2, bytes_per_s: 1e9}\n  - {cores: 2, bytes_per_s: 2e9}\n", "f.yaml:4:5: 2 cores after 2"},
    {"cores: 4\nbandwidth:\n  - {cores: 2}\n", "f.yaml:3:5: an entry of bandwidth without bytes_per_s"},
    {"shmcoll_node: 2\ncores: 4\n", "f.yaml:1:15: 2 is out of range, give 1 to 1"},
    {"cores: 4\n---\ncores: 5\n", "f.yaml:3:1: a second document"},
    {"cores: 4\n\"two\\nlines\": 1\n", "f.yaml:2:1: unknown key two?lines"},
};

static void test_broken_files_are_located(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct node node;
        char reason[300] = "";
        int err = parse(broken[i].text, &node, reason, sizeof reason);
        if (err != -EINVAL || strncmp(reason, broken[i].message, strlen(broken[i].message)) || strchr(reason, '\n'))
            fail_msg("case %zu, got %d '%s', want '%s' for\n%s", i, err, reason, broken[i].message, broken[i].text);
    }
    printf("%zu broken files\n", sizeof broken / sizeof *broken);
}

/* Cut a good file anywhere: never a crash, and either a node or a located line. */
static void test_cut_files_are_refused(void **state)
{
    struct node node, cut;
    char *text, reason[300];
    size_t bytes;
    (void)state;
    random_node(7, &node);
    assert_int_equal(node_yaml_format(&node, &text, &bytes), 0);
    for (size_t length = 0; length < bytes; length += 1 + bytes / 300) {
        int err = node_yaml_parse("f.yaml", text, length, &cut, reason, sizeof reason);
        if (!err)
            node_destroy(&cut);
        else
            assert_int_equal(strncmp(reason, "f.yaml:", 7), 0);
    }
    free(text);
    node_destroy(&node);
}

static void test_huge_text_is_refused(void **state)
{
    struct node node;
    char reason[300];
    size_t bytes = 5 << 20;
    char *text = malloc(bytes);
    (void)state;
    memset(text, '[', bytes);
    assert_int_equal(node_yaml_parse("f.yaml", text, bytes, &node, reason, sizeof reason), -EFBIG);
    /* Would take libyaml ten seconds at this length and hours at the cap. */
    assert_int_equal(node_yaml_parse("f.yaml", text, 100000, &node, reason, sizeof reason), -EINVAL);
    assert_string_equal(reason, "f.yaml:1:33: nested deeper than 32 levels, close a bracket before");
    for (size_t i = 0; i < bytes; i += 2)
        memcpy(text + i, "- ", 2);
    assert_int_equal(node_yaml_parse("f.yaml", text, 4 << 20, &node, reason, sizeof reason), -EINVAL);
    assert_string_equal(reason, "f.yaml:1:65: nested deeper than 32 levels, close a bracket before");
    free(text);
}

static void test_reason_may_be_short(void **state)
{
    struct node node;
    char reason[8] = "1234567";
    (void)state;
    assert_int_equal(parse("cores: x", &node, reason, 4), -EINVAL);
    assert_string_equal(reason, "f.y");
    assert_string_equal(reason + 4, "567");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_nodes_survive),  cmocka_unit_test(test_presets_survive),
        cmocka_unit_test(test_short_forms),           cmocka_unit_test(test_broken_files_are_located),
        cmocka_unit_test(test_cut_files_are_refused), cmocka_unit_test(test_huge_text_is_refused),
        cmocka_unit_test(test_reason_may_be_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
