/* Allocations that fail, each in its turn: the answer is -ENOMEM, nothing is set, and nothing leaks or is freed twice, of which
 * AddressSanitizer tells. The linker sends what partition/ and model/ allocate through here; Scotch's, too, which crashes, ends
 * the process or leaks if it gets nothing: while it works all get what they ask for, as partition_room() has it. */
#include "tests/model/cmocka_all.h"
#include "partition/components.h"
#include "partition/mapping.h"
#include "partition/refine.h"
#include "partition/strategies.h"

#include <errno.h>
#include <scotch-int64/scotch.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PROCS = 24, PARTS = 4 };

static long left_until; /* the allocation that fails; below 0: none */
static long asked;
static int in_scotch;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);

SCOTCH_Context *__real_SCOTCH_contextAlloc(void);
SCOTCH_Context *__wrap_SCOTCH_contextAlloc(void);
void __real_SCOTCH_contextExit(SCOTCH_Context *context);
void __wrap_SCOTCH_contextExit(SCOTCH_Context *context);

static int fails(void)
{
    if (in_scotch)
        return 0;
    asked++;
    return left_until-- == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return fails() ? MAP_FAILED : __real_mmap(at, bytes, protection, flags, file, offset);
}

/* Its first call and its last. */
SCOTCH_Context *__wrap_SCOTCH_contextAlloc(void)
{
    if (fails())
        return NULL;
    in_scotch = 1;
    return __real_SCOTCH_contextAlloc();
}

void __wrap_SCOTCH_contextExit(SCOTCH_Context *context)
{
    __real_SCOTCH_contextExit(context);
    in_scotch = 0;
}

/* Two nodes of two sockets, of as many ranks as Bruck has. */
static int machine(struct hierarchy *out)
{
    uint32_t part[PROCS], node[PROCS];
    for (uint32_t r = 0; r < PROCS; r++) {
        part[r] = r / (PROCS / PARTS);
        node[r] = part[r] / 2;
    }
    int error = hierarchy_init(out, PROCS);
    error = error ? error : hierarchy_add(out, "node", node);
    error = error ? error : hierarchy_add(out, "socket", part);
    if (error)
        hierarchy_destroy(out);
    return error;
}

static int mapped(const struct partitioner *partitioner, const struct partition_problem *problem)
{
    struct hierarchy hierarchy;
    struct mapping mapping;
    struct mapping_quality quality;
    char reason[256];
    int error = machine(&hierarchy);
    if (error)
        return error;
    error = mapping_make(&mapping, partitioner, problem, &hierarchy, reason, sizeof reason);
    if (!error) {
        error = mapping_quality(problem->graph, &mapping, &hierarchy, &quality);
        mapping_destroy(&mapping);
    }
    hierarchy_destroy(&hierarchy);
    return error;
}

static int refined(const struct partitioner *partitioner, const struct partition_problem *problem)
{
    (void)partitioner;
    struct refine *refine = NULL;
    int error = refine_create(&refine, problem, NULL);
    assert_int_equal(!refine, error != 0);
    refine_destroy(refine);
    return error;
}

static int counted(const struct partitioner *partitioner, const struct partition_problem *problem)
{
    (void)partitioner;
    struct graph rows;
    uint32_t pieces;
    int error = graph_rows(&rows, problem->graph);
    if (error)
        return error;
    error = graph_components(&rows, &pieces);
    assert_true(error || pieces == 1);
    graph_destroy(&rows);
    return error;
}

static int partitioned(const struct partitioner *partitioner, const struct partition_problem *problem)
{
    struct partition partition;
    struct mapping mapping;
    char reason[256];
    int error = partition_make(partitioner, problem, &partition, reason, sizeof reason);
    if (error)
        return error;
    error = mapping_of_partition(&mapping, &partition, NULL);
    partition_destroy(&partition);
    if (error)
        return error;
    error = mapping_expand(&mapping);
    mapping_destroy(&mapping);
    return error;
}

/* Lets the first allocation fail, then the second, until none of them is left. */
static void each_fails(int (*task)(const struct partitioner *, const struct partition_problem *), const char *name)
{
    const uint32_t sizes[PARTS] = {5, 7, 8, 4};
    struct schedule schedule;
    struct graph graph;
    left_until = -1;
    assert_int_equal(schedule_init(&schedule, &schedule_bruck, PROCS, 0), 0);
    assert_int_equal(graph_of_schedule(&graph, &schedule), 0);
    const struct partition_problem problem = {
        .graph = &graph, .schedule = &schedule, .parts = PARTS, .sizes = sizes, .seed = 1, .refine = 1};
    int error = -ENOMEM;
    for (long k = 0; error; k++) {
        asked = 0;
        left_until = k;
        error = task(partitioner_find(name), &problem);
        if (error != (asked > k ? -ENOMEM : 0))
            fail_msg("%s: allocation %ld of %ld fails, and the answer is %d", name, k, asked, error);
        assert_true(k > 0 || error); /* it allocates at all */
    }
    left_until = -1;
    graph_destroy(&graph);
}

static void partitions_fail(void **state)
{
    (void)state;
    static const char *const names[] = {"block", "cyclic", "strided", "metis-kway", "metis-rb", "scotch", "auto"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        each_fails(partitioned, names[i]);
    each_fails(refined, "block");
}

static void mappings_fail(void **state)
{
    (void)state;
    each_fails(mapped, "block");
    each_fails(mapped, "strided");
    each_fails(mapped, "metis-rb");
    each_fails(mapped, "scotch");
    each_fails(mapped, "auto");
}

/* Graphs, too, and how many pieces they have; of more than there can be memory for nothing is begun. */
static void others_fail(void **state)
{
    (void)state;
    each_fails(counted, "block");
    left_until = -1;
    assert_int_equal(partition_room(0), 0);
    assert_int_equal(partition_room(SIZE_MAX), -ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(partitions_fail), cmocka_unit_test(mappings_fail),
                                       cmocka_unit_test(others_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
