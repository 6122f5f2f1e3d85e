/* In the guest: a communicator's queues lie on their owners' domains, and the audit tells when they do not.
 * Argument: the home of each cpu; a rank runs on each. */
#include "page_count.h"

#include "kernels/comm_internal.h"
#include "kernels/launcher.h"
#include "kernels/placement.h"
#include "kernels/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SIZE_BYTES = 100003, PAGES_MOVED = 3, AREA_BYTES = 20000, KINDS = 4 };

struct audit_case {
    const struct homes *homes;
    int control_pages, stated; /* stated: the rank names the domain its cpu is on, instead of leaving it to the library */
    enum backend backend;
};

struct seen {
    struct comm_audit audit, after_calls, wrong_map, moved;
    struct page_count count;
    uint32_t children, children_away; /* in the joined tree of root 0 */
};

static struct homes homes;

static int calls_run(struct launch_rank *self, struct comm *comm)
{
    unsigned char *buffer = malloc(SIZE_BYTES);
    int error = buffer ? 0 : -ENOMEM;
    for (uint32_t root = 0; root < self->procs && !error; root += self->procs > 1 ? self->procs - 1 : 1) {
        uint64_t key = verify_key(root, root);
        (self->rank == root ? verify_fill : verify_poison)(buffer, SIZE_BYTES, key);
        error = comm_bcast(comm, buffer, SIZE_BYTES, root);
        if (!error && verify_check(buffer, SIZE_BYTES, key) >= 0)
            error = -EBADMSG;
    }
    free(buffer);
    return error;
}

/* The same pages, said to belong elsewhere. */
static int audit_wrong_map(struct comm *comm, uint32_t wrong, struct comm_audit *out)
{
    int32_t right = comm->config.domain_os;
    comm->config.domain_os = (int32_t)wrong;
    int error = comm_audit(comm, out);
    comm->config.domain_os = right;
    return error;
}

/* Some pages, really taken elsewhere: every other one, so that neighbours stay. */
static int audit_moved(struct comm *comm, uint32_t elsewhere, struct comm_audit *out)
{
    struct segment_range own = segment_range_of_rank(&comm->plan, comm->config.lanes - 1, comm->config.rank);
    int error = 0;
    for (uint32_t i = 0; i < PAGES_MOVED && !error; i++)
        error = page_move(comm->base + own.offset + 2 * i * comm->plan.page_bytes, (int)elsewhere);
    return error ? error : comm_audit(comm, out);
}

static int pages_count(struct comm *comm, struct page_count *out)
{
    struct segment_range area = segment_range_area(&comm->plan, comm->config.rank);
    int error = page_count_range(comm->base + area.offset, area.bytes, comm->plan.page_bytes, out);
    for (uint32_t lane = 0; lane < comm->plan.lanes && !error; lane++) {
        struct segment_range own = segment_range_of_rank(&comm->plan, lane, comm->config.rank);
        error = page_count_range(comm->base + own.offset, own.bytes, comm->plan.page_bytes, out);
    }
    return error;
}

/* Whom this rank tells, and how many of them on other domains. */
static void children_count(const struct comm *comm, const struct homes *of, struct seen *seen)
{
    const struct tree *tree = &comm->lane[comm->lanes - 1].tree;
    uint32_t rank = comm->config.rank;
    seen->children = tree_child_count(tree, 0, rank);
    for (uint32_t i = 0; i < seen->children; i++)
        seen->children_away += of->of_cpu[tree_child(tree, 0, rank, i)] != of->of_cpu[rank];
}

static int looks(struct launch_rank *self, const struct audit_case *c, struct comm *comm)
{
    struct seen *seen = self->result;
    uint32_t home = c->homes->of_cpu[self->rank], far = c->homes->of_cpu[home == c->homes->of_cpu[0] ? self->procs - 1 : 0];
    int error = comm_audit(comm, &seen->audit);
    children_count(comm, c->homes, seen);
    if (!error)
        error = pages_count(comm, &seen->count);
    if (!error)
        error = audit_wrong_map(comm, far == home ? home + 1 : far, &seen->wrong_map);
    if (!error)
        error = calls_run(self, comm);
    if (!error)
        error = comm_audit(comm, &seen->after_calls);
    if (!error)
        error = launcher_barrier(self); /* nobody reads the pages that move */
    if (!error && far != home)
        error = audit_moved(comm, far, &seen->moved);
    return error ? error : launcher_barrier(self);
}

static int body(struct launch_rank *self, void *argument)
{
    const struct audit_case *c = argument;
    struct comm_config config = comm_config_default(self->procs, self->rank);
    struct comm *comm;
    if (c->control_pages)
        config = comm_config_of(self->procs, self->rank, &config.lane[1]);
    else
        config.area_bytes = AREA_BYTES;
    config.lane[config.lanes - 1].tree = (struct tree_shape){TREE_JOINED, 2};
    config.control_pages = c->control_pages;
    config.domain_os = c->stated ? placement_domain_here() : -1;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    error = looks(self, c, comm);
    if (error && !self->message[0])
        snprintf(self->message, COMM_REASON_BYTES, "error %d: %s", error, comm_error_string(comm));
    comm_destroy(comm);
    return error;
}

static void case_run(struct audit_case c, struct seen *seen)
{
    uint32_t cpus[HOMES_MAX];
    struct launch_options options = {.procs = homes.cpus, .backend = c.backend, .cpu_os = cpus, .timeout_s = 600,
                                     .result_bytes = sizeof *seen};
    struct launch_report report;
    for (uint32_t i = 0; i < homes.cpus; i++)
        cpus[i] = i;
    int error = launcher_run(&options, body, &c, seen, NULL, &report);
    if (error)
        fail_msg("error %d: %s", error, report.reason);
}

/* The four kinds of communicator, and what every rank saw. */
static struct seen seen_by[KINDS][HOMES_MAX];

static int kinds_run(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        case_run((struct audit_case){&homes, kind & 1, kind >> 1, kind & 1 ? BACKEND_THREADS : BACKEND_PROCS}, seen_by[kind]);
    return 0;
}

static void every_kind(void (*check)(uint32_t rank, const struct seen *seen))
{
    for (int kind = 0; kind < KINDS; kind++)
        for (uint32_t r = 0; r < homes.cpus; r++)
            check(r, &seen_by[kind][r]);
}

static void check_right(uint32_t rank, const struct seen *seen)
{
    assert_true(seen->audit.pages >= 128); /* 64 slots of two pages at least */
    assert_int_equal(seen->audit.domain_os, homes.of_cpu[rank]);
    assert_int_equal(seen->audit.pages_misplaced, 0);
    assert_int_equal(seen->count.on[homes.of_cpu[rank]], seen->audit.pages);
    assert_int_equal(seen->after_calls.pages, seen->audit.pages);
    assert_int_equal(seen->after_calls.pages_misplaced, 0);
}

static void every_queue_on_its_owners_domain(void **state)
{
    (void)state;
    every_kind(check_right);
}

static void check_wrong(uint32_t rank, const struct seen *seen)
{
    (void)rank;
    assert_int_equal(seen->wrong_map.pages, seen->audit.pages);
    assert_int_equal(seen->wrong_map.pages_misplaced, seen->audit.pages);
    assert_int_equal(seen->moved.pages_misplaced, homes_away(&homes) ? PAGES_MOVED : 0);
}

static void audit_finds_a_wrong_map_and_moved_pages(void **state)
{
    (void)state;
    every_kind(check_wrong);
}

/* A joined tree crosses to every other domain once, from the root. */
static void joined_trees_cross_once(void **state)
{
    (void)state;
    uint64_t domains = 0;
    for (uint32_t r = 0; r < homes.cpus; r++)
        domains |= UINT64_C(1) << homes.of_cpu[r];
    for (int kind = 0; kind < KINDS; kind++) {
        uint32_t children = 0;
        for (uint32_t r = 0; r < homes.cpus; r++) {
            children += seen_by[kind][r].children;
            assert_int_equal(seen_by[kind][r].children_away, r == 0 ? __builtin_popcountll(domains) - 1 : 0);
        }
        assert_int_equal(children, homes.cpus - 1);
    }
}

/* Memory of one's own goes near the preferred domain, wherever the thread runs. */
static void preferred_domain_is_taken(void **state)
{
    (void)state;
    enum { BYTES = 8 * 4096 };
    for (uint32_t cpu = 0; cpu < homes.cpus; cpu++) {
        struct page_count count = {0};
        assert_int_equal(placement_pin(cpu), 0);
        int domain = placement_domain_here();
        assert_int_equal(placement_pin(0), 0);
        assert_int_equal(placement_prefer(domain), 0);
        void *base = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(base != MAP_FAILED);
        memset(base, 1, BYTES);
        assert_int_equal(page_count_range(base, BYTES, 4096, &count), 0);
        assert_int_equal(count.on[homes.of_cpu[cpu]], BYTES / 4096);
        munmap(base, BYTES);
        placement_prefer(-1);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_queue_on_its_owners_domain),
        cmocka_unit_test(audit_finds_a_wrong_map_and_moved_pages),
        cmocka_unit_test(joined_trees_cross_once),
        cmocka_unit_test(preferred_domain_is_taken),
    };
    if (argc != 2 || homes_parse(argv[1], &homes))
        return 2;
    return cmocka_run_group_tests(tests, kinds_run, NULL);
}
