/* Where ranks run, written for launchers: read back as each of them reads it, and where they are installed, run. */
#include "tests/formats/formats_case.h"

#include "model/formats/launch_write.h"
#include "model/formats/node_load.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two nodes of four cores, whose first two cores the system calls 0 and 2. */
static const uint32_t os[] = {0, 2, 1, 3};
static const char *const names[] = {"alpha", "beta"};

static char *written(const char *format, const struct launch *launch)
{
    char *text, reason[300] = "";
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (launch_format_find(format)->write(file, launch, reason, sizeof reason))
        fail_msg("%s: %s", format, reason);
    fclose(file);
    return text;
}

static void refused(const char *format, const struct launch *launch, const char *says)
{
    char *text, reason[300] = "";
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    assert_int_equal(launch_format_find(format)->write(file, launch, reason, sizeof reason), -ENOTSUP);
    fclose(file);
    assert_int_equal(bytes, 0);
    if (!strstr(reason, says) || strchr(reason, '\n'))
        fail_msg("%s: '%s' does not say '%s'", format, reason, says);
    free(text);
}

static uint32_t node_named(const char *name)
{
    for (uint32_t n = 0; n < 2; n++)
        if (strcmp(names[n], name) == 0)
            return n;
    fail_msg("no host is called %s", name);
    return 0;
}

static void rankfile_says_host_and_core(const struct launch *launch)
{
    char *text = written("rankfile", launch), *line = strtok(text, "\n");
    for (uint32_t r = 0; r < launch->ranks; r++, line = strtok(NULL, "\n")) {
        unsigned rank, core;
        char host[32];
        int used = 0;
        assert_non_null(line);
        assert_int_equal(sscanf(line, "rank %u=%31s slot=%u%n", &rank, host, &core, &used), 3);
        assert_int_equal(line[used], 0);
        assert_int_equal(rank, r);
        assert_int_equal(node_named(host), launch->node_of_rank[r]);
        assert_int_equal(core, launch->core_of_rank[r]);
    }
    assert_null(line);
    free(text);
}

static void hostfile_says_host(const struct launch *launch)
{
    char *text = written("hostfile", launch), *line = strtok(text, "\n");
    for (uint32_t r = 0; r < launch->ranks; r++, line = strtok(NULL, "\n"))
        assert_int_equal(node_named(line), launch->node_of_rank[r]);
    assert_null(line);
    free(text);
}

/* Rank r takes the element of the list that its number among the ranks of its node says, as both launchers do. */
static void list_says_cpu(const char *format, const char *head, const struct launch *launch)
{
    char *text = written(format, launch), *save, *cpu;
    uint32_t list[16], length = 0, have[2] = {0};
    assert_int_equal(strncmp(text, head, strlen(head)), 0);
    for (cpu = strtok_r(text + strlen(head), ",\n", &save); cpu; cpu = strtok_r(NULL, ",\n", &save))
        list[length++] = (uint32_t)strtoul(cpu, NULL, 10);
    for (uint32_t r = 0; r < launch->ranks; r++)
        assert_int_equal(list[have[launch->node_of_rank[r]]++ % length], os[launch->core_of_rank[r]]);
    free(text);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {0, 0, 0, 0, 1, 1, 1}, mixed[] = {1, 0, 0, 1, 1, 0, 0};
    static const uint32_t core[] = {1, 0, 3, 2, 1, 0, 3}, mixed_core[] = {1, 1, 0, 0, 3, 3, 2};
    struct launch launch = {7, 2, blocks, core, os, names};
    rankfile_says_host_and_core(&launch);
    hostfile_says_host(&launch);
    list_says_cpu("mpich", "-bind-to user:", &launch);
    list_says_cpu("slurm", "--cpu-bind=map_cpu:", &launch);
    launch.node_of_rank = mixed;
    launch.core_of_rank = mixed_core;
    rankfile_says_host_and_core(&launch);
    hostfile_says_host(&launch);
    list_says_cpu("slurm", "--cpu-bind=map_cpu:", &launch);
}

static void hosts_without_names(void **state)
{
    (void)state;
    static const uint32_t nodes[] = {0, 1}, zeros[] = {0, 0}, core[] = {1, 0};
    struct launch one = {2, 1, zeros, core, os, NULL}, two = {2, 2, nodes, core, os, NULL};
    char *text = written("rankfile", &one);
    assert_string_equal(text, "rank 0=localhost slot=1\nrank 1=localhost slot=0\n");
    free(text);
    text = written("rankfile", &two);
    assert_string_equal(text, "rank 0=+n0 slot=1\nrank 1=+n1 slot=0\n");
    free(text);
    refused("hostfile", &two, "a host file needs names: give 2 hosts");
}

static void refuses_what_cannot_be_said(void **state)
{
    (void)state;
    static const uint32_t mixed[] = {0, 1, 0, 1}, blocks[] = {0, 0, 1, 1}, same[] = {2, 2, 0, 0}, other[] = {2, 0, 0, 2};
    struct launch back = {4, 2, mixed, same, os, names}, unlike = {4, 2, blocks, other, os, names};
    refused("mpich", &back, "rank 2 comes back to node 0: write a rankfile");
    refused("mpich", &unlike, "rank 0 is on core 2 of its node and rank 2, as far up on its own, on core 0: write a rankfile");
    refused("slurm", &unlike, "one list of cpus serves all nodes, but rank 0 is on core 2");
    assert_null(launch_format_find("torque"));
}

/* Launchers count cores, and bind to all hardware threads of one; ranks tell cpus. Here both have the same numbers. */
static int cpu_is_core(int cpu)
{
    char path[100], line[100] = "", alone[20];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    snprintf(alone, sizeof alone, "%d\n", cpu);
    FILE *file = fopen(path, "re");
    int known = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    return !known || strcmp(line, alone) == 0;
}

static int cores_0_and_1_are_ours(void)
{
    cpu_set_t allowed;
    struct node node;
    char reason[300];
    if (sched_getaffinity(0, sizeof allowed, &allowed) || !CPU_ISSET(0, &allowed) || !CPU_ISSET(1, &allowed) ||
        node_load("host", &node, reason, sizeof reason))
        return 0;
    int same = node.cores > 1 && node.core_os[0] == 0 && node.core_os[1] == 1 && cpu_is_core(0) && cpu_is_core(1);
    node_destroy(&node);
    return same;
}

static void skip_without(const char *launcher)
{
    char plain[200];
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    snprintf(plain, sizeof plain, "%s -n 2 true >/dev/null 2>&1", launcher);
    if (!cores_0_and_1_are_ours() || system(plain)) {
        print_message("skipped: %s does not run here\n", launcher);
        skip();
    }
}

/* Two ranks print who they are and where they may run; rank 0 must be on cpu 1 and rank 1 on cpu 0. */
static void must_bind(const char *launcher, const char *arguments, const char *rank)
{
    char command[600], line[100];
    unsigned who, cpu, seen = 0;
    snprintf(command, sizeof command, "%s %s -n 2 sh -c 'echo $%s $(sed -n \"s/Cpus_allowed_list://p\" /proc/self/status)'",
             launcher, arguments, rank);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    while (fgets(line, sizeof line, out)) {
        if (sscanf(line, "%u %u", &who, &cpu) != 2 || strpbrk(line, ",-"))
            fail_msg("%s said: %s", command, line);
        assert_int_equal(cpu, 1 - who);
        seen |= 1u << who;
    }
    assert_int_equal(pclose(out), 0);
    assert_int_equal(seen, 3);
}

static const uint32_t here[] = {0, 0}, crossed[] = {1, 0}, plain_os[] = {0, 1};
static const struct launch crossed_launch = {2, 1, here, crossed, plain_os, NULL};

static void open_mpi_binds_so(void **state)
{
    (void)state;
    skip_without("mpirun.openmpi");
    char path[] = "/tmp/shmcoll_rankfile_XXXXXX", arguments[100], *text = written("rankfile", &crossed_launch);
    int fd = mkstemp(path);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    free(text);
    snprintf(arguments, sizeof arguments, "--host localhost:2 --rankfile %s", path);
    must_bind("mpirun.openmpi", arguments, "OMPI_COMM_WORLD_RANK");
    unlink(path);
}

static void mpich_binds_so(void **state)
{
    (void)state;
    skip_without("mpiexec.mpich");
    char *text = written("mpich", &crossed_launch), arguments[100];
    text[strcspn(text, "\n")] = 0;
    snprintf(arguments, sizeof arguments, "%s", text);
    free(text);
    must_bind("mpiexec.mpich", arguments, "PMI_RANK");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back), cmocka_unit_test(hosts_without_names),
        cmocka_unit_test(refuses_what_cannot_be_said), cmocka_unit_test(open_mpi_binds_so),
        cmocka_unit_test(mpich_binds_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
