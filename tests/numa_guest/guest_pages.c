/* In the guest: on which domains the pages of a segment end up, by who initialises it and how; counted, not timed.
 *
 * The segment is S1's: its layout with a page a control block, 64 slots of 8 KiB. First in memory files, as the kernels
 * make them, then in a file of a real file system, where reading ahead takes pages on the domain of whoever touched
 * a page before them (S1 Fig. 11). Argument: the home of each cpu; a rank runs on each. */
#include "page_count.h"

#include "kernels/launcher.h"
#include "kernels/placement.h"
#include "kernels/segment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DISK_FILE "/disk/segment"
#define READAHEAD_KB "/sys/block/nvme0n1/queue/read_ahead_kb"

enum who { WHO_EACH, WHO_EACH_IN_TURN, WHO_RANK_0 };

struct way {
    const char *name;
    enum who who;
    int bound;          /* by mbind to the owner's domain; otherwise first touch decides */
    int before_pinning; /* all ranks on cpu 0 while they initialise */
    int huge;
    int on_disk, read_ahead_kb, random; /* a file of the file system: the device's setting, MADV_RANDOM or not */
};

struct attempt {
    const struct way *way;
    const struct homes *homes;
    struct segment_plan plan;
    int fd;
    uint64_t huge_kb; /* of memory files, while they were in use */
};

struct counted {
    struct page_count count;
    struct placement_audit audit;
    uint64_t huge_kb; /* of memory files, in the whole guest; by rank 0 */
};

static struct homes homes;

/* ---- a rank ---- */

static int range_initialise(struct launch_rank *self, const struct attempt *a, void *base, int fd, uint32_t rank)
{
    int domain = a->way->bound ? (int)a->homes->of_cpu[rank] : -1;
    return segment_range_allocate(&a->plan, base, fd, segment_range_of_rank(&a->plan, 0, rank), domain, self->message);
}

static int initialise(struct launch_rank *self, const struct attempt *a, void *base, int fd)
{
    int error = launcher_barrier(self);
    for (uint32_t turn = 0; turn < self->procs && !error; turn++) {
        int mine = a->way->who == WHO_RANK_0 ? self->rank == 0 : self->rank == turn;
        if (mine)
            error = range_initialise(self, a, base, fd, turn);
        if (!error && a->way->who == WHO_EACH_IN_TURN)
            error = launcher_barrier(self);
    }
    return error ? error : launcher_barrier(self);
}

static uint64_t huge_kb_read(void)
{
    char line[128];
    unsigned long long kb = 0;
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "ShmemHugePages: %llu", &kb) != 1)
        ;
    if (f)
        fclose(f);
    return kb;
}

static int pages_count(const struct attempt *a, char *base, uint32_t rank, struct counted *out)
{
    struct segment_range own = segment_range_of_rank(&a->plan, 0, rank);
    uint64_t page_bytes = a->plan.hugetlb ? a->plan.unit_bytes : a->plan.page_bytes;
    int home = (int)a->homes->of_cpu[rank];
    int error = page_count_range(base + own.offset, own.bytes, page_bytes, &out->count);
    return error ? error : placement_audit_range(base + own.offset, own.bytes, page_bytes, home, &out->audit);
}

static int body(struct launch_rank *self, void *argument)
{
    const struct attempt *a = argument;
    void *base = NULL;
    /* A description of the file system's file each, as when they open it by name: readahead keeps its state there. */
    int fd = a->way->on_disk ? open(DISK_FILE, O_RDWR | O_CLOEXEC) : a->fd;
    int error = fd < 0 ? -errno : segment_map(&a->plan, fd, &base, self->message);
    if (!error && !a->way->random)
        error = madvise(base, a->plan.total_bytes, MADV_NORMAL) ? -errno : 0;
    if (!error && a->way->before_pinning)
        error = placement_pin(0);
    if (!error)
        error = initialise(self, a, base, fd);
    if (!error)
        error = placement_pin(self->rank);
    if (!error)
        error = pages_count(a, base, self->rank, self->result);
    if (!error && self->rank == 0)
        ((struct counted *)self->result)->huge_kb = huge_kb_read();
    return error ? error : launcher_barrier(self); /* the file lives until all have counted */
}

/* ---- one way, all ranks ---- */

static int text_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -EIO;
}

/* A fresh file, all hole: what the page cache holds of it is what the ranks make it take. */
static int disk_file_create(const struct way *way, const struct segment_plan *plan, int *fd)
{
    char kb[16];
    snprintf(kb, sizeof kb, "%d", way->read_ahead_kb);
    int error = text_write(READAHEAD_KB, kb);
    *fd = error ? -1 : open(DISK_FILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (!error && (*fd < 0 || ftruncate(*fd, (off_t)plan->total_bytes)))
        error = -errno;
    return error;
}

static void attempt_run(const struct way *way, struct attempt *a, struct counted *counted)
{
    char reason[SEGMENT_REASON_BYTES] = "";
    uint32_t cpus[HOMES_MAX], procs = homes.cpus;
    struct launch_options options = {.procs = procs, .cpu_os = cpus, .timeout_s = 600, .result_bytes = sizeof *counted};
    struct segment_options segment = {.procs = procs, .lanes = 1, .control_pages = 1, .huge_pages = way->huge,
                                      .shape = {{.procs = procs, .slots = 64, .sets = 1, .fragment_bytes = 8192}}};
    struct launch_report report;
    for (uint32_t i = 0; i < procs; i++)
        cpus[i] = i;
    *a = (struct attempt){.way = way, .homes = &homes, .fd = -1};
    assert_int_equal(segment_plan_make(&segment, &a->plan), 0);
    int error = way->on_disk ? disk_file_create(way, &a->plan, &a->fd) : segment_file_create(&a->plan, &a->fd, reason);
    if (error)
        fail_msg("%s: no file: %s %s", way->name, strerror(-error), reason);
    error = launcher_run(&options, body, a, counted, NULL, &report);
    close(a->fd);
    if (way->on_disk)
        unlink(DISK_FILE);
    if (error)
        fail_msg("%s: error %d: %s", way->name, error, report.reason);
}

/* Prints a row, checks the audit against the count, and returns the pages on another domain than their owner's home. */
static uint64_t wrong_pages(const struct way *way, struct attempt *a)
{
    struct counted counted[HOMES_MAX];
    struct page_count sum = {0};
    uint64_t wrong = 0;
    attempt_run(way, a, counted);
    for (uint32_t r = 0; r < homes.cpus; r++) {
        const struct page_count *c = &counted[r].count;
        uint64_t away = 0;
        for (uint32_t d = 0; d < COUNT_DOMAINS_MAX; d++) {
            sum.on[d] += c->on[d];
            away += d == homes.of_cpu[r] ? 0 : c->on[d];
        }
        assert_int_equal(c->nowhere, 0);
        assert_int_equal(counted[r].audit.misplaced, away);
        wrong += away;
    }
    a->huge_kb = counted[0].huge_kb;
    printf("pages %-42s", way->name);
    for (uint32_t d = 0; d < homes.domains; d++)
        printf(" %5llu", (unsigned long long)sum.on[d]);
    printf("  wrong %5llu\n", (unsigned long long)wrong);
    return wrong;
}

static uint64_t rank_pages(const struct segment_plan *plan)
{
    return plan->layout[0].rank_bytes / (plan->hugetlb ? plan->unit_bytes : plan->page_bytes);
}

static void expect_wrong(const struct way *way, uint32_t ranks)
{
    struct attempt a;
    uint64_t wrong = wrong_pages(way, &a);
    assert_int_equal(wrong, ranks * rank_pages(&a.plan));
}

/* ---- tests ---- */

static void owners_find_their_pages(void **state)
{
    (void)state;
    expect_wrong(&(struct way){.name = "mbind", .bound = 1}, 0);
    expect_wrong(&(struct way){.name = "first touch"}, 0);
    expect_wrong(&(struct way){.name = "mbind, by process 0 alone", .who = WHO_RANK_0, .bound = 1}, 0);
    expect_wrong(&(struct way){.name = "mbind, before pinning", .bound = 1, .before_pinning = 1}, 0);
}

static void others_take_them_elsewhere(void **state)
{
    (void)state;
    expect_wrong(&(struct way){.name = "process 0 alone", .who = WHO_RANK_0}, homes_away(&homes));
    expect_wrong(&(struct way){.name = "first touch, before pinning", .before_pinning = 1}, homes_away(&homes));
}

static void reserve_huge(const char *count)
{
    char path[120];
    for (uint32_t i = 0; i < homes.cpus; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/node/node%u/hugepages/hugepages-2048kB/nr_hugepages", homes.of_cpu[i]);
        assert_int_equal(text_write(path, count), 0);
    }
}

static void huge_pages(void **state)
{
    (void)state;
    struct attempt a;
    reserve_huge("16");
    uint64_t wrong = wrong_pages(&(struct way){.name = "mbind, huge pages", .bound = 1, .huge = 1}, &a);
    assert_int_equal(a.plan.hugetlb, 1);
    assert_int_equal(wrong, 0);
    expect_wrong(&(struct way){.name = "process 0 alone, huge pages", .who = WHO_RANK_0, .huge = 1}, homes_away(&homes));
    reserve_huge("0");
    assert_int_equal(text_write("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "advise"), 0);
    wrong = wrong_pages(&(struct way){.name = "mbind, huge pages advised", .bound = 1, .huge = 1}, &a);
    assert_int_equal(a.plan.advise_huge, 1);
    assert_int_equal(a.huge_kb, homes.cpus * a.plan.layout[0].rank_bytes / 1024);
    assert_int_equal(wrong, 0);
}

/* The file system's pages belong to the page cache, which takes no notice of mbind: who reads them in decides. */
static void readahead_takes_the_neighbours(void **state)
{
    (void)state;
    const int window_kb[] = {128, 1024};
    for (int i = 0; i < 2; i++) {
        char once[64], turn[64];
        snprintf(once, sizeof once, "file, at once, readahead %d KiB", window_kb[i]);
        snprintf(turn, sizeof turn, "file, in turn, readahead %d KiB", window_kb[i]);
        struct way way = {.name = turn, .who = WHO_EACH_IN_TURN, .bound = 1, .on_disk = 1, .read_ahead_kb = window_kb[i]};
        struct attempt a;
        uint64_t wrong = wrong_pages(&way, &a);
        assert_true(homes_away(&homes) ? wrong > 0 : wrong == 0);
        way.name = once;
        way.who = WHO_EACH; /* races decide how many: only shown */
        wrong_pages(&way, &a);
    }
}

static void without_readahead_none_is_wrong(void **state)
{
    (void)state;
    struct way way = {.name = "file, in turn, MADV_RANDOM", .who = WHO_EACH_IN_TURN, .bound = 1, .on_disk = 1,
                      .read_ahead_kb = 1024, .random = 1};
    expect_wrong(&way, 0);
    way.name = "file, at once, MADV_RANDOM";
    way.who = WHO_EACH;
    expect_wrong(&way, 0);
    way = (struct way){.name = "file, at once, readahead of the device 0", .bound = 1, .on_disk = 1};
    expect_wrong(&way, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_find_their_pages), cmocka_unit_test(others_take_them_elsewhere), cmocka_unit_test(huge_pages),
        cmocka_unit_test(readahead_takes_the_neighbours), cmocka_unit_test(without_readahead_none_is_wrong),
    };
    if (argc != 2 || homes_parse(argv[1], &homes))
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* Otherwise the kernel may move pages towards their users between initialisation and count. */
    if (text_write("/proc/sys/kernel/numa_balancing", "0") && homes_away(&homes))
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
