/* Topologies recorded on real machines, synthetic ones and this host become nodes with the right counts. */
#include "formats_case.h"

#include "model/formats/node_hwloc.h"
#include "model/formats/node_load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What lstopo says of the recorded machines. */
static const struct recorded {
    const char *file;
    uint32_t cores, domains, sockets, caches;
    uint64_t l1_kib, l2_kib, llc_kib;
    double distance_0_1, distance_last; /* 0: one domain */
    uint32_t last_os;
    const char *described;
} recorded[] = {
    {"16amd64-4distances", 16, 8, 8, 16, 64, 1024, 1024, 20, 20, 15, "Dual Core AMD Opteron(tm) Processor 865"},
    {"192em64t-24n8c2t", 192, 24, 24, 24, 32, 256, 20480, 50, 79, 191, "192 SMT siblings skipped"},
    {"96em64t-4n4d3ca2co-pci", 96, 4, 16, 16, 32, 3072, 16384, 26, 26, 95, "processor without a name"},
    {"AMD-17h-Zen-2xEpyc-7451", 48, 1, 2, 16, 32, 512, 8192, 0, 0, 47, "AMD EPYC 7451 24-Core Processor, 48 SMT"},
    {"Intel-Broadwell-2xXeon-E5-2650Lv4", 28, 1, 2, 2, 32, 256, 35840, 0, 0, 27, "28 SMT siblings skipped"},
    {"Intel-CascadeLake-2xXeon6230", 40, 1, 2, 2, 32, 1024, 28160, 0, 0, 39, "40 SMT siblings skipped"},
    {"Intel-Nehalem-2xXeon-X5550", 8, 1, 2, 2, 32, 256, 8192, 0, 0, 7, "CPU X5550 @ 2.67GHz, 8 SMT"},
};

static uint32_t highest(const uint32_t *list, uint32_t count)
{
    uint32_t high = 0;
    for (uint32_t i = 0; i < count; i++)
        high = list[i] > high ? list[i] : high;
    return high;
}

static void check_recorded(const struct recorded *r, const struct node *node)
{
    assert_string_equal(node->name, r->file);
    assert_int_equal(node->cores, r->cores);
    assert_int_equal(node->domains, r->domains);
    assert_int_equal(node->sockets, r->sockets);
    assert_int_equal(highest(node->core_domain, node->cores) + 1, r->domains);
    assert_int_equal(highest(node->core_socket, node->cores) + 1, r->sockets);
    assert_int_equal(highest(node->core_cache, node->cores) + 1, r->caches);
    assert_int_equal(highest(node->core_os, node->cores), r->last_os);
    assert_int_equal(node->l1_bytes, r->l1_kib << 10);
    assert_int_equal(node->l2_bytes, r->l2_kib << 10);
    assert_int_equal(node->llc_bytes, r->llc_kib << 10);
    if (r->domains > 1) {
        assert_true(node->distance[0] == 10);
        assert_true(node->distance[1] == r->distance_0_1);
        assert_true(node->distance[r->domains - 1] == r->distance_last);
    }
    if (!strstr(node->description, r->described))
        fail_msg("'%s' is not in '%s'", r->described, node->description);
    assert_false(quantity_known(&node->handover_ns[HANDOVER_SAME_CACHE]));
}

static void test_recorded_machines(void **state)
{
    (void)state;
    size_t found = 0;
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        char name[100], reason[300] = "";
        struct node node;
        snprintf(name, sizeof name, "hwloc/%s.xml", recorded[i].file);
        const char *path = data_path(name);
        if (!path)
            continue;
        found++;
        if (node_load(path, &node, reason, sizeof reason))
            fail_msg("%s", reason);
        check_recorded(&recorded[i], &node);
        node_destroy(&node);
    }
    printf("%zu of %zu recorded machines (SHMCOLL_DATA names their folder)\n", found, sizeof recorded / sizeof *recorded);
    if (!found)
        skip();
}

/* 16amd64 numbers its domains 1, 0, 2, 5, ... by socket: the operating system's numbers are kept. */
static void test_os_numbers_of_domains(void **state)
{
    static const uint32_t want[] = {1, 0, 2, 5, 4, 3};
    (void)state;
    const char *path = data_path("hwloc/16amd64-4distances.xml");
    char reason[300];
    struct node node;
    if (!path)
        skip();
    assert_int_equal(node_load(path, &node, reason, sizeof reason), 0);
    for (size_t d = 0; d < sizeof want / sizeof *want; d++)
        assert_int_equal(node.domain_os[d], want[d]);
    assert_int_equal(node.domain_memory_bytes[0], 8589934592);
    node_destroy(&node);
}

static void test_synthetic(void **state)
{
    struct node node;
    char reason[300];
    (void)state;
    assert_int_equal(node_load("synthetic:pack:2 numa:2 l3:1 l2:4 core:1 pu:2", &node, reason, sizeof reason), 0);
    assert_int_equal(node.cores, 16);
    assert_int_equal(node.domains, 4);
    assert_int_equal(node.sockets, 2);
    assert_int_equal(node.core_os[1], 2); /* pu 1 is the sibling of pu 0 */
    assert_int_equal(node.core_domain[4], 1);
    assert_int_equal(node.core_socket[8], 1);
    assert_int_equal(node.core_cache[15], 3);
    assert_true(node.distance[1] == 20 && node.distance[5] == 10);
    node_destroy(&node);
}

/* No Core objects: hardware threads stand for cores. No caches: those of a socket count as sharing one. */
static void test_synthetic_without_cores_or_caches(void **state)
{
    struct node node;
    char reason[300];
    (void)state;
    assert_int_equal(node_hwloc_synthetic("pack:2 pu:3", &node, reason, sizeof reason), 0);
    assert_int_equal(node.cores, 6);
    assert_int_equal(node.core_cache[2], 0);
    assert_int_equal(node.core_cache[3], 1);
    assert_int_equal(node.llc_bytes, 0);
    node_destroy(&node);
}

static void test_synthetic_refused(void **state)
{
    static const struct {
        const char *text;
        int err;
    } cases[] = {
        {"", -EINVAL},
        {"pack:x", -EINVAL},
        {"nonsense", -EINVAL},
        {"pack:2 core:100000 pu:1", -E2BIG},
        {"core:4097 pu:1", -E2BIG},
        {"core:1025 pu:1", -E2BIG},
        {"group:64 core:64 pu:3", -E2BIG},
        {"numa:257 core:1 pu:1", -E2BIG},
        {"core:-1", -E2BIG},
        {"core:99999999999999999999", -E2BIG},
        {"(x) core:1000000", -E2BIG},
        {"pack:2(memory=1)core:1000000", -E2BIG},
        {"pack:0x10000 core:0x10000", -E2BIG},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct node node;
        char reason[300] = "";
        int err = node_hwloc_synthetic(cases[i].text, &node, reason, sizeof reason);
        if (err != cases[i].err || strncmp(reason, "synthetic:", 10) || strchr(reason, '\n'))
            fail_msg("'%s': %d '%s', want %d", cases[i].text, err, reason, cases[i].err);
    }
}

static int xml(const char *text, char *reason, size_t reason_bytes)
{
    struct node node;
    int err = node_hwloc_xml("f.xml", text, strlen(text), &node, reason, reason_bytes);
    if (!err)
        node_destroy(&node);
    return err;
}

static void test_xml_refused(void **state)
{
    char reason[300];
    (void)state;
    assert_int_equal(xml("<html><body>no</body></html>", reason, sizeof reason), -EINVAL);
    assert_int_equal(strncmp(reason, "f.xml: not a topology", 21), 0);
    assert_int_equal(xml("<topology version=\"3.0\"><object/></topology>", reason, sizeof reason), -EINVAL);
    assert_non_null(strstr(reason, "export it with lstopo"));
    /* hwloc itself would crash on this. */
    assert_int_equal(xml("<topology version=\"2.0\">\n<object type=\"Machine\" cpuset=\"0x1\">", reason, sizeof reason), -EINVAL);
    assert_string_equal(reason, "f.xml:2: an object without cpuset, complete_cpuset, nodeset and complete_nodeset, "
                                "export it again with lstopo");
    /* And would take half a GiB for this. */
    assert_int_equal(
        xml("<topology version=\"2.0\"><object type=\"PU\" os_index=\"4294967295\" cpuset=\"0x1\"/>", reason, sizeof reason),
        -EINVAL);
    assert_int_equal(strncmp(reason, "f.xml:1: a PU or NUMANode without an os_index", 45), 0);
    assert_int_equal(xml("<topology version=\"2.0\"><object type=\"Machine\"", reason, sizeof reason), -EINVAL);
}

/* hwloc ends the process where a set begins with a comma, whosever set it is. */
static void test_xml_sets_refused(void **state)
{
    static const char *const bad[] = {"cpuset=\",0x1\"", "allowed_cpuset=\",0x1\""};
    char reason[300], text[800];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text,
                 "<topology version=\"2.0\">\n<object type=\"Machine\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" "
                 "nodeset=\"0x1\" complete_nodeset=\"0x1\" %s></object></topology>", bad[i]);
        assert_int_equal(xml(text, reason, sizeof reason), -EINVAL);
        assert_string_equal(reason, "f.xml:2: a set that is not one of hexadecimal words, export it again with lstopo");
        snprintf(text, sizeof text, "<topology version=\"2.0\">\n<cpukind %s/></topology>", bad[i]);
        assert_int_equal(xml(text, reason, sizeof reason), -EINVAL);
        assert_string_equal(reason, "f.xml:2: a set that is not one of hexadecimal words, export it again with lstopo");
    }
}

static void test_host(void **state)
{
    struct node node;
    char reason[300];
    (void)state;
    assert_int_equal(node_load("host", &node, reason, sizeof reason), 0);
    assert_string_equal(node.name, "host");
    assert_in_range(node.cores, 1, NODE_CORES_MAX);
    assert_true(node.page_bytes >= 4096 && !(node.page_bytes & (node.page_bytes - 1)));
    assert_true(node.domain_memory_bytes[0] > 0);
    node_destroy(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_machines),
        cmocka_unit_test(test_os_numbers_of_domains),
        cmocka_unit_test(test_synthetic),
        cmocka_unit_test(test_synthetic_without_cores_or_caches),
        cmocka_unit_test(test_synthetic_refused),
        cmocka_unit_test(test_xml_refused),
        cmocka_unit_test(test_xml_sets_refused),
        cmocka_unit_test(test_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
