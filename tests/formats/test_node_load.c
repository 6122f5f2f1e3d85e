/* --node: presets, files told apart by content, names nobody knows; and files replaced at once. */
#include "formats_case.h"

#include "model/formats/node_load.h"
#include "model/formats/node_yaml.h"
#include "model/formats/presets.h"
#include "model/formats/text_file.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/shmcoll-formats-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int entries_in_folder(void)
{
    int count = 0;
    DIR *dir = opendir(folder);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2;
}

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
    (void)state;
    unlink(in_folder("node.txt"));
    unlink(in_folder("topology"));
    return rmdir(folder);
}

static void test_presets_have_sources(void **state)
{
    (void)state;
    for (size_t i = 0; i < preset_count(); i++) {
        struct node node;
        char reason[300];
        assert_int_equal(node_load(preset_name(i), &node, reason, sizeof reason), 0);
        assert_string_equal(node.name, preset_name(i));
        for (int c = 0; c < COPY_CLASS_COUNT; c++) {
            const struct quantity *q = &node.copy[c].s_per_byte;
            assert_true(isnan(q->value) || (q->low <= q->value && q->value <= q->high && strlen(q->source) > 8));
        }
        for (size_t b = 0; b < node.bandwidth_count; b++)
            assert_true(strlen(node.bandwidth[b].bytes_per_s.source) > 8);
        node_destroy(&node);
    }
}

/* S1 Fig. 4, to the last digit: everything printed for `paper` rests on it. */
static void test_paper(void **state)
{
    struct node node;
    (void)state;
    assert_int_equal(preset_create("paper", &node), 0);
    assert_true(node.contention_free);
    assert_true(node.paper.t_s_per_byte.value == 1e-9 && node.paper.t_w_s.value == 50e-9);
    assert_true(node.paper.t_wo_s.value == 100e-9 && node.paper.t_a_s.value == 10e-9);
    assert_int_equal(node.cores, 16);
    assert_int_equal(node.domains, 2);
    node_destroy(&node);
}

/* The cited rates count bytes read plus written. Three bus bytes a copied one must fit four channels of DDR4-2133,
 * which they would not if the halving were forgotten; and queue-side copies are no slower than plain ones. */
static void test_xeons_are_plausible(void **state)
{
    static const struct {
        const char *name;
        uint32_t cores;
        double bus_bytes_per_s;
    } xeons[] = {{"broadwell-2x8", 16, 4 * 2133e6 * 8}, {"nehalem-2x4", 8, 3 * 1066e6 * 8}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct node node;
        assert_int_equal(preset_create(xeons[i].name, &node), 0);
        assert_int_equal(node.cores, xeons[i].cores);
        assert_int_equal(node.core_socket[node.cores - 1], 1);
        assert_true(3 * node_bandwidth_bytes_per_s(&node, node.cores / 2) < xeons[i].bus_bytes_per_s);
        double plain = node.copy[COPY_PLAIN_COLD].s_per_byte.value;
        for (int c = 0; c < COPY_PLAIN_COLD; c++)
            assert_true(node.copy[c].s_per_byte.value < plain);
        assert_true(fabs(plain * node_bandwidth_bytes_per_s(&node, 1) - 1) < 0.01);
        assert_true(node_handover_ns(&node, 0, node.cores - 1) > 1.5 * node_handover_ns(&node, 0, 1));
        node_destroy(&node);
    }
}

static void assert_refused(const char *spec, int err, const char *part)
{
    struct node node;
    char reason[300] = "";
    int got = node_load(spec, &node, reason, sizeof reason);
    if (got != err || !strstr(reason, part) || strchr(reason, '\n'))
        fail_msg("'%s': %d '%s', want %d and '%s'", spec, got, reason, err, part);
}

static void test_refused(void **state)
{
    (void)state;
    assert_refused("brodwell", -ENOENT, "try host, paper, nehalem-2x4, broadwell-2x8, haswell-2x14");
    assert_refused("brodwell", -ENOENT, "harpertown-2x4, synthetic:DESC, or a node or XML file");
    assert_refused("", -ENOENT, "no such node or file");
    assert_refused("/nonexistent/node.yaml", -ENOENT, "/nonexistent/node.yaml: cannot read: No such file");
    assert_refused("missing.yaml", -ENOENT, "missing.yaml: cannot read");
    assert_refused("/tmp", -EISDIR, "is a directory; give a file");
    assert_refused("/dev/zero", -EFBIG, "larger than 16 MiB");
    assert_refused("/dev/null", -EINVAL, "/dev/null:1:1: nothing in it");
    assert_refused("synthetic:x", -EINVAL, "hwloc cannot build it");
}

/* The ending says nothing: what begins with '<' is XML. */
static void test_files_by_content(void **state)
{
    static const char xml[] = "\n <?xml version=\"1.0\"?><nonsense/>";
    struct node preset, node;
    char reason[300];
    (void)state;
    assert_int_equal(preset_create("broadwell-2x8", &preset), 0);
    assert_int_equal(node_yaml_write(in_folder("node.txt"), &preset, reason, sizeof reason), 0);
    assert_int_equal(node_load(in_folder("node.txt"), &node, reason, sizeof reason), 0);
    assert_node_equal(&preset, &node);
    node_destroy(&node);
    node_destroy(&preset);
    assert_int_equal(text_file_write(in_folder("topology"), xml, sizeof xml - 1, reason, sizeof reason), 0);
    assert_refused(in_folder("topology"), -EINVAL, "not a topology hwloc can read");
}

/* A node that no reader takes leaves the old file as it was, and nothing beside it. */
static void test_writing_is_all_or_nothing(void **state)
{
    struct node node, again;
    char reason[300];
    (void)state;
    assert_int_equal(preset_create("paper", &node), 0);
    assert_int_equal(node_yaml_write(in_folder("node.txt"), &node, reason, sizeof reason), 0);
    node.store_ns = quantity_within(5, 6, 7, "interval beside the value");
    assert_int_equal(node_yaml_write(in_folder("node.txt"), &node, reason, sizeof reason), -EINVAL);
    assert_non_null(strstr(reason, "outside its interval"));
    assert_int_equal(node_load(in_folder("node.txt"), &again, reason, sizeof reason), 0);
    node.store_ns = quantity_unknown();
    assert_node_equal(&node, &again);
    unlink(in_folder("topology"));
    assert_int_equal(entries_in_folder(), 1);
    assert_int_equal(node_yaml_write("/nonexistent/node.yaml", &node, reason, sizeof reason), -ENOENT);
    assert_int_equal(node_yaml_write(folder, &node, reason, sizeof reason), -EISDIR);
    assert_int_equal(node_yaml_write("/dev/full", &node, reason, sizeof reason), -ENOSPC);
    node_destroy(&again);
    node_destroy(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets_have_sources), cmocka_unit_test(test_paper),
        cmocka_unit_test(test_xeons_are_plausible),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_files_by_content),     cmocka_unit_test(test_writing_is_all_or_nothing),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
