/* The audit: right where pages are right, and it fails when fed a wrong map. Pinning, binding, memory room. */
#include "watched_launch.h"

#include "kernels/launcher.h"
#include "kernels/memory_room.h"
#include "kernels/placement.h"
#include "kernels/segment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 300 };

static void audit_tells_right_from_wrong(void **state)
{
    (void)state;
    struct placement_audit right = {0}, wrong = {0}, untouched = {0};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int here = placement_domain_here();
    char *base = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(base != MAP_FAILED);
    if (placement_audit_range(base, PAGES * page, page, here, &untouched) == -ENOTSUP)
        skip();
    assert_int_equal(untouched.misplaced, PAGES); /* nowhere yet */
    int bound = placement_bind(base, PAGES * page, here);
    assert_true(bound == 0 || bound == -ENOTSUP);
    memset(base, 1, PAGES * page);
    assert_int_equal(placement_audit_range(base, PAGES * page, page, here, &right), 0);
    assert_int_equal(right.pages, PAGES);
    assert_int_equal(right.misplaced, 0);
    /* The wrong map: the same pages, said to belong to the next domain. */
    assert_int_equal(placement_audit_range(base, PAGES * page, page, here + 1, &wrong), 0);
    assert_int_equal(wrong.misplaced, PAGES);
    munmap(base, PAGES * page);
}

struct audits {
    int error;
    struct comm_audit audit;
};

static int audit_body(struct launch_rank *self, void *argument)
{
    struct comm_lane lane = comm_config_default(self->procs, self->rank).lane[1];
    lane.slots = 8;
    struct comm_config config = comm_config_of(self->procs, self->rank, &lane);
    struct audits *mine = self->result;
    struct comm *comm;
    config.control_pages = *(int *)argument;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    mine->error = self->message[0] ? -EBADMSG : comm_audit(comm, &mine->audit); /* success leaves no reason behind */
    comm_destroy(comm);
    return 0;
}

static void every_queue_on_its_owners_domain(void **state)
{
    (void)state;
    struct audits rank[3];
    for (int control_pages = 0; control_pages < 2; control_pages++) {
        struct launch_options options = {.procs = 3, .timeout_s = HANGS_S, .result_bytes = sizeof rank[0]};
        assert_int_equal(launcher_run(&options, audit_body, &control_pages, rank, NULL, NULL), 0);
        if (rank[0].error == -ENOTSUP)
            skip();
        for (int r = 0; r < 3; r++) {
            assert_int_equal(rank[r].error, 0);
            /* 8 slots of 2 pages and 8 control pages, or the control blocks and eager lines on 2 + 1 pages at most; and a page of
             * lines for short allgathers */
            assert_in_range(rank[r].audit.pages, control_pages ? 25 : 18, control_pages ? 25 : 21);
            assert_int_equal(rank[r].audit.pages_misplaced, 0);
        }
    }
}

static void pinning(void **state)
{
    (void)state;
    uint64_t before[PLACEMENT_MASK_WORDS], after[PLACEMENT_MASK_WORDS];
    assert_int_equal(placement_allowed(before), 0);
    uint32_t cpu = 0;
    while (!(before[cpu / 64] >> cpu % 64 & 1))
        cpu++;
    assert_int_equal(placement_pin(cpu), 0);
    assert_int_equal(sched_getcpu(), cpu);
    assert_int_equal(placement_allowed(after), 0);
    assert_true(after[cpu / 64] == (uint64_t)1 << cpu % 64);
    assert_true(placement_pin(1000000) < 0);
    sched_setaffinity(0, sizeof before, (cpu_set_t *)(void *)before);
}

/* In a child, as limits cannot be taken back: the segment must be refused, not the process killed. */
static int refused_under(int resource, uint64_t limit)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct segment_options options = {.procs = 2, .lanes = 1,
                                          .shape = {{.procs = 2, .slots = 64, .sets = 1, .fragment_bytes = 1 << 20}}};
        struct rlimit r = {limit, limit};
        struct segment_plan plan;
        char reason[SEGMENT_REASON_BYTES] = "";
        int fd;
        if (setrlimit(resource, &r) || segment_plan_make(&options, &plan))
            _exit(2);
        _exit(segment_file_create(&plan, &fd, reason) == -ENOMEM && strstr(reason, "does not fit") ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    return status;
}

static void limits_are_errors_not_signals(void **state)
{
    (void)state;
    assert_int_equal(refused_under(RLIMIT_FSIZE, 1 << 20), 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    assert_int_equal(refused_under(RLIMIT_AS, 64 << 20), 0);
#endif
    uint64_t page_bytes, huge = memory_room_huge_bytes(&page_bytes);
    assert_true(page_bytes == 0 ? huge == 0 : huge % page_bytes == 0);
    assert_true(memory_room_bytes() > 1 << 20);
}

static void ranges_tile_the_segment(void **state)
{
    (void)state;
    for (int huge = 0; huge < 2; huge++) {
        struct segment_options options = {.procs = 3, .lanes = 1, .huge_pages = huge,
                                          .shape = {{.procs = 3, .slots = 8, .sets = 2, .fragment_bytes = 5000}}};
        struct segment_plan plan;
        assert_int_equal(segment_plan_make(&options, &plan), 0);
        uint64_t end = segment_range_leading(&plan, 0).bytes;
        for (uint32_t r = 0; r < 3; r++) {
            struct segment_range range = segment_range_of_rank(&plan, 0, r);
            assert_int_equal(range.offset, end);
            assert_int_equal(range.offset % plan.unit_bytes, 0);
            assert_int_equal(range.bytes % plan.unit_bytes, 0);
            assert_true(segment_slot_offset(&plan.layout[0], r, 7) + 5000 <= range.offset + range.bytes);
            end += range.bytes;
        }
        assert_int_equal(segment_range_head(&plan).offset, end);
        assert_int_equal(end + segment_range_head(&plan).bytes, plan.total_bytes);
        assert_true(!huge || plan.hugetlb || plan.advise_huge || plan.note[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(audit_tells_right_from_wrong), cmocka_unit_test(every_queue_on_its_owners_domain),
        cmocka_unit_test(pinning), cmocka_unit_test(limits_are_errors_not_signals), cmocka_unit_test(ranges_tile_the_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
