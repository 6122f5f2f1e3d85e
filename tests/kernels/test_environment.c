/* What a host may forbid, really forbidden: to all ranks or to one of them. All must agree on what takes its place, the note must
 * tell the reason, and every byte must arrive. */
#include "forbid.h"
#include "watched_launch.h"

#include "kernels/environment.h"
#include "kernels/launcher.h"
#include "kernels/placement.h"
#include "kernels/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE_MOST = 300000, AREA_BYTES = 1 << 20, CALLS = 18, NOBODY = 65534, CANNOT = 100 };

/* How a rank is deprived before it makes the communicator: 0, or CANNOT if this host does not let it. */
typedef int deprive_fn(void);

struct deprived {
    const struct protocol *protocol;
    uint32_t procs;
    deprive_fn *deprive;
    int64_t only_rank; /* -1: all */
    uint64_t area_bytes;
    const char *expected; /* protocol of the lane in the end */
    const char *note;     /* what the note must say; "" nothing */
};

static int forbid_reading(void)
{
    const long calls[] = {SYS_process_vm_readv, SYS_process_vm_writev};
    return forbid_calls(calls, 2) ? CANNOT : 0;
}

static int forbid_writing(void)
{
    const long calls[] = {SYS_process_vm_writev};
    return forbid_calls(calls, 1) ? CANNOT : 0;
}

static int forbid_binding(void)
{
    const long calls[] = {SYS_mbind};
    if (placement_bind_try()) /* nothing left to forbid */
        return CANNOT;
    return forbid_calls(calls, 1) ? CANNOT : 0;
}

/* A process that may not be dumped is read by none but the privileged. */
static int forbid_dumping(void)
{
    if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY))
        return CANNOT;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ? CANNOT : 0;
}

static int forbid_nothing(void)
{
    return 0;
}

/* The root's buffer lies in its area in every third call, and every rank's in the next. */
static unsigned char *buffer_of(const struct launch_rank *self, struct comm *comm, const struct deprived *d, unsigned char *own,
                                uint32_t call, uint32_t root)
{
    unsigned char *area = d->area_bytes ? comm_area(comm) : own;
    int in_area = call % 3 == 0 ? self->rank == root : call % 3 == 1;
    return in_area ? area + 64 : own;
}

static int broadcasts(struct launch_rank *self, struct comm *comm, const struct deprived *d)
{
    static const uint64_t sizes[] = {1, 5000, SIZE_MOST, 0, 131072, 99};
    unsigned char *own = malloc(SIZE_MOST + 64); /* without an area buffers shift by 64 within it, see buffer_of */
    int error = own ? 0 : -ENOMEM;
    for (uint32_t call = 0; call < CALLS && !error; call++) {
        uint32_t root = (call + call / 3) % self->procs; /* out of step with where the buffers lie */
        uint64_t size = sizes[call / 3 % 6], key = verify_key(call, root);
        unsigned char *buffer = buffer_of(self, comm, d, own, call, root);
        (self->rank == root ? verify_fill : verify_poison)(buffer, size, key);
        error = comm_bcast(comm, buffer, size, root);
        if (error)
            snprintf(self->message, COMM_REASON_BYTES, "%s", comm_error_string(comm));
        else if (verify_check(buffer, size, key) >= 0)
            error = -EBADMSG;
    }
    free(own);
    return error;
}

static int note_right(struct launch_rank *self, const struct comm *comm, const struct deprived *d)
{
    const char *note = comm_note(comm), *name = comm_lane_of(comm, 1000)->protocol->name;
    int right = *d->note ? strstr(note, d->note) != NULL : *note == 0;
    if (right && strcmp(name, d->expected) == 0)
        return 1;
    snprintf(self->message, COMM_REASON_BYTES, "rank %u: %s, \"%.150s\"", self->rank, name, note);
    return 0;
}

static int body(struct launch_rank *self, void *argument)
{
    const struct deprived *d = argument;
    int *cannot = self->common;
    if ((d->only_rank < 0 || d->only_rank == self->rank) && d->deprive() == CANNOT)
        *cannot = 1;
    int error = launcher_barrier(self);
    if (error || *cannot)
        return error;
    struct comm_lane lane = {.protocol = d->protocol, .fragment_bytes = 4096, .slots = 4, .sets = 1, .tree = {TREE_FLAT, 0},
                             .size_max_bytes = UINT64_MAX};
    struct comm_config config = comm_config_of(self->procs, self->rank, &lane);
    config.area_bytes = d->area_bytes;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    struct comm *comm;
    error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    error = note_right(self, comm, d) ? broadcasts(self, comm, d) : -ENOTRECOVERABLE;
    comm_destroy(comm);
    return error;
}

static void run_deprived(const struct deprived *d)
{
    struct launch_options options = {.procs = d->procs, .timeout_s = HANGS_S, .common_bytes = sizeof(int)};
    struct launch_report report;
    int cannot = 0, error = launcher_run(&options, body, (void *)d, NULL, &cannot, &report);
    if (error)
        fail_msg("%s, %u ranks: %d, %s", d->protocol->name, d->procs, error, report.reason);
    if (cannot)
        skip();
}

static const struct protocol *const peers_protocols[] = {&protocol_single_copy, &protocol_cooperative, &protocol_shared_source};
enum { PEERS_PROTOCOLS = sizeof peers_protocols / sizeof *peers_protocols };

static void nothing_forbidden(void **state)
{
    (void)state;
    for (int i = 0; i < PEERS_PROTOCOLS; i++)
        run_deprived(&(struct deprived){peers_protocols[i], 3, forbid_nothing, -1, AREA_BYTES, peers_protocols[i]->name, ""});
}

static void reading_forbidden_to_all(void **state)
{
    (void)state;
    for (int i = 0; i < PEERS_PROTOCOLS; i++)
        for (uint32_t procs = 2; procs <= 3; procs++)
            run_deprived(&(struct deprived){peers_protocols[i], procs, forbid_reading, -1, 0, "counted", "rank 0 cannot read"});
}

static void reading_forbidden_to_one(void **state)
{
    (void)state;
    for (int i = 0; i < PEERS_PROTOCOLS; i++)
        run_deprived(&(struct deprived){peers_protocols[i], 3, forbid_reading, 1, 0, "counted", "rank 1 cannot read"});
}

/* Buffers in the areas still go straight; the others through the queue, in the same lane. */
static void areas_stay(void **state)
{
    (void)state;
    const char *const expected[PEERS_PROTOCOLS] = {"single_copy", "shared_source", "shared_source"};
    for (int i = 0; i < PEERS_PROTOCOLS; i++)
        run_deprived(&(struct deprived){peers_protocols[i], 3, forbid_reading, 2, AREA_BYTES, expected[i],
                                        "by counted unless the root's buffer lies in its area"});
}

static void writing_forbidden(void **state)
{
    (void)state;
    run_deprived(&(struct deprived){&protocol_cooperative, 2, forbid_writing, 0, 0, "single_copy", "rank 0 cannot write"});
    run_deprived(&(struct deprived){&protocol_cooperative, 3, forbid_writing, 0, 0, "cooperative", ""}); /* there all only read */
    run_deprived(&(struct deprived){&protocol_single_copy, 2, forbid_writing, -1, 0, "single_copy", ""});
}

static void binding_forbidden(void **state)
{
    (void)state;
    run_deprived(&(struct deprived){&protocol_counted, 3, forbid_binding, -1, 0, "counted", "rank 0 cannot bind memory"});
    run_deprived(&(struct deprived){&protocol_pipelined, 3, forbid_binding, 2, 0, "pipelined", "rank 2 cannot bind memory"});
}

static void dumping_forbidden(void **state)
{
    (void)state;
    run_deprived(&(struct deprived){&protocol_single_copy, 3, forbid_dumping, -1, 0, "counted", "not permitted"});
}

/* ---- a rank in a pid namespace of its own: the numbers of the others mean nothing there ---- */

static int namespaced(struct launch_rank *self, void *argument)
{
    int *cannot = self->common;
    if (self->rank == 1 && unshare(CLONE_NEWPID))
        *cannot = 1;
    if (launcher_barrier(self) || *cannot || self->rank != 1)
        return *cannot ? 0 : body(self, argument);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(body(self, argument) ? 1 : 0);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : -ECHILD;
}

static void namespaces_differ(void **state)
{
    (void)state;
    struct deprived d = {&protocol_single_copy, 2, forbid_nothing, -1, 0, "counted", "another pid namespace"};
    struct launch_options options = {.procs = 2, .timeout_s = HANGS_S, .common_bytes = sizeof(int)};
    struct launch_report report;
    int cannot = 0, error = launcher_run(&options, namespaced, &d, NULL, &cannot, &report);
    if (error)
        fail_msg("%d, %s", error, report.reason);
    if (cannot)
        skip();
}

/* ---- in a process of its own: what would last ---- */

static int in_child(int (*work)(void))
{
    pid_t child = fork();
    if (child == 0)
        _exit(work());
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int pinning(void)
{
    const long calls[] = {SYS_sched_setaffinity};
    const uint32_t cpus[] = {0, 0, 0};
    struct deprived d = {&protocol_counted, 3, forbid_nothing, -1, 0, "counted", ""};
    struct launch_options options = {.procs = 3, .cpu_os = cpus, .timeout_s = HANGS_S, .common_bytes = sizeof(int)};
    struct launch_report report;
    if (forbid_calls(calls, 1))
        return CANNOT;
    int error = launcher_run(&options, body, &d, NULL, NULL, &report);
    return error ? 1 : strstr(report.note, "cannot be pinned") ? 0 : 2;
}

static void pinning_forbidden(void **state)
{
    (void)state;
    int code = in_child(pinning);
    if (code == CANNOT)
        skip();
    assert_int_equal(code, 0);
}

/* A limit on files: no segment, and a reason instead of a signal. */
static int limited(void)
{
    struct rlimit limit = {16384, 16384};
    struct deprived d = {&protocol_counted, 2, forbid_nothing, -1, 0, "counted", ""};
    struct launch_options options = {.procs = 2, .timeout_s = HANGS_S, .common_bytes = sizeof(int)};
    struct launch_report report;
    setrlimit(RLIMIT_FSIZE, &limit);
    int error = launcher_run(&options, body, &d, NULL, NULL, &report);
    return error == -ENOMEM && strstr(report.reason, "file size limit") ? 0 : 1;
}

static void files_limited(void **state)
{
    (void)state;
    assert_int_equal(in_child(limited), 0);
}

/* What the kernel says of this cpu's own cache, not a sum over a machine of which we may have a part. */
static void cache_is_the_cpus(void **state)
{
    (void)state;
    unsigned long kib = 0;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "re");
    int got = file ? fscanf(file, "%luK", &kib) : 0;
    if (file)
        fclose(file);
    assert_true(environment_cache_bytes() > 0);
    if (got != 1)
        skip();
    assert_int_equal(environment_cache_bytes(), kib << 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_forbidden),        cmocka_unit_test(reading_forbidden_to_all),
        cmocka_unit_test(reading_forbidden_to_one), cmocka_unit_test(areas_stay),
        cmocka_unit_test(writing_forbidden),        cmocka_unit_test(binding_forbidden),
        cmocka_unit_test(dumping_forbidden),        cmocka_unit_test(namespaces_differ),
        cmocka_unit_test(pinning_forbidden),        cmocka_unit_test(files_limited),
        cmocka_unit_test(cache_is_the_cpus),
    };
    if (!backend_runs(BACKEND_PROCS))
        return 77; /* threads of one process are forbidden nothing by the kernel */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
