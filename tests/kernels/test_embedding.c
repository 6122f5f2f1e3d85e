/* The library inside somebody else's processes: started by fork and exec, bootstrapped over socket pairs
 * through a parent that knows nothing of the launcher. */
#include "leftovers.h"
#include "watched_launch.h"

#include "kernels/comm.h"
#include "kernels/fd_pass.h"
#include "kernels/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCS = 3, STRIDE = 3, ITEMS = 20000, ITEM_BYTES = 8, WITNESS_FD = 90 };

struct request {
    char op; /* 'A' allgather, 'F' share the descriptor that follows from rank 0 */
    uint64_t bytes;
};

static int move_all(int socket, void *data, size_t n, int sending)
{
    for (size_t done = 0; done < n;) {
        ssize_t k = sending ? send(socket, (char *)data + done, n - done, MSG_NOSIGNAL)
                            : recv(socket, (char *)data + done, n - done, 0);
        if (k == 0 || (k < 0 && errno != EINTR))
            return k == 0 ? -EPIPE : -errno;
        done += k > 0 ? (size_t)k : 0;
    }
    return 0;
}

/* ---- the embedded rank ---- */

struct embedded {
    uint32_t rank;
    int socket;
    int says; /* whether progress is to be told */
};

static int allgather(void *context, const void *mine, void *all, size_t bytes)
{
    struct embedded *e = context;
    struct request request = {'A', bytes};
    int error = move_all(e->socket, &request, sizeof request, 1);
    if (!error)
        error = move_all(e->socket, (void *)mine, bytes, 1);
    return error ? error : move_all(e->socket, all, bytes * PROCS, 0);
}

static int share_fd(void *context, int *fd)
{
    struct embedded *e = context;
    struct request request = {'F', 0};
    int error = move_all(e->socket, &request, sizeof request, 1);
    if (error)
        return error;
    return e->rank == 0 ? fd_pass_send(e->socket, *fd) : fd_pass_receive(e->socket, fd);
}

/* Says so to rank 0, once, when it is asked to. */
static void progress(void *context)
{
    struct embedded *e = context;
    if (e->says && write(WITNESS_FD, "p", 1) == 1)
        e->says = 0;
}

/* Every third item of an array, as a derived datatype would describe. */
static void strided_copy(unsigned char *array, uint64_t offset, unsigned char *flat, size_t n, int pack)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t at = (offset + i) / ITEM_BYTES * STRIDE * ITEM_BYTES + (offset + i) % ITEM_BYTES;
        if (pack)
            flat[i] = array[at];
        else
            array[at] = flat[i];
    }
}

static void pack(void *context, uint64_t offset, void *to, size_t n)
{
    strided_copy(context, offset, to, n, 1);
}

static void unpack(void *context, uint64_t offset, const void *from, size_t n)
{
    strided_copy(context, offset, (void *)from, n, 0);
}

static int strided_broadcast(struct comm *comm, uint32_t rank, uint64_t size, uint32_t root)
{
    unsigned char *array = calloc(ITEMS, STRIDE * ITEM_BYTES), *flat = malloc(ITEMS * ITEM_BYTES);
    struct comm_data data = {array, pack, unpack};
    uint64_t key = verify_key(size, root);
    if (!array || !flat)
        return 1;
    verify_fill(flat, size, key);
    if (rank == root)
        strided_copy(array, 0, flat, size, 0);
    int wrong = comm_bcast_packed(comm, &data, size, root) != 0;
    memset(flat, 0, size);
    strided_copy(array, 0, flat, size, 1);
    wrong |= verify_check(flat, size, key) >= 0;
    for (size_t i = 0; i < ITEMS; i++) /* what lies between the items is nobody's business */
        for (size_t j = ITEM_BYTES; j < STRIDE * ITEM_BYTES; j++)
            wrong |= array[i * STRIDE * ITEM_BYTES + j] != 0;
    free(array);
    free(flat);
    return wrong;
}

/* The process as the library must leave it. */
struct environment {
    cpu_set_t affinity;
    struct sigaction action[32];
};

static void environment_take(struct environment *e)
{
    memset(e, 0, sizeof *e);
    sched_getaffinity(0, sizeof e->affinity, &e->affinity);
    for (int s = 1; s < 32; s++)
        sigaction(s, NULL, &e->action[s]);
}

static int environment_same(const struct environment *a, const struct environment *b)
{
    int same = memcmp(&a->affinity, &b->affinity, sizeof a->affinity) == 0;
    for (int s = 1; s < 32; s++)
        same &= a->action[s].sa_handler == b->action[s].sa_handler;
    return same;
}

static int plain_broadcasts(struct comm *comm, uint32_t rank)
{
    static unsigned char buffer[300000];
    int wrong = 0;
    for (uint32_t call = 0; call < 40 && !wrong; call++) {
        uint64_t size = call % 2 ? call : sizeof buffer - call;
        uint64_t key = verify_key(call, call % PROCS);
        (rank == call % PROCS ? verify_fill : verify_poison)(buffer, size, key);
        wrong = comm_bcast(comm, buffer, size, call % PROCS) != 0 || verify_check(buffer, size, key) >= 0;
    }
    return wrong;
}

/* Exit status: 0, or which step failed. */
static int embedded_main(uint32_t rank, int socket)
{
    struct embedded e = {.rank = rank, .socket = socket};
    struct comm_bootstrap bootstrap = {&e, allgather, share_fd};
    struct comm_config config = comm_config_default(PROCS, rank);
    struct environment before, after;
    struct leftovers clean = leftovers_count();
    struct comm *comm;
    config.progress = progress;
    config.progress_context = &e;
    environment_take(&before);
    if (comm_create(&config, &bootstrap, &comm, NULL))
        return 2;
    if (plain_broadcasts(comm, rank))
        return 3;
    if (strided_broadcast(comm, rank, ITEMS * ITEM_BYTES, 1) || strided_broadcast(comm, rank, 100, 2))
        return 4;
    char byte = 1, said;
    e.says = rank != 0;
    for (uint32_t r = 1; r < PROCS && rank == 0; r++) /* the others wait, and call progress meanwhile */
        if (read(WITNESS_FD + 1, &said, 1) != 1)
            return 5;
    if (comm_bcast(comm, &byte, 1, 0) || e.says)
        return 5;
    comm_destroy(comm);
    environment_take(&after);
    if (!environment_same(&before, &after))
        return 6;
    return leftovers_find(clean) ? 7 : 0;
}

/* A rank whose configuration differs: all must refuse. */
static int disagreeing_main(uint32_t rank, int socket)
{
    struct embedded e = {.rank = rank, .socket = socket};
    struct comm_bootstrap bootstrap = {&e, allgather, share_fd};
    struct comm_config config = comm_config_default(PROCS, rank);
    char reason[COMM_REASON_BYTES] = "";
    struct comm *comm;
    config.lane[1].slots = rank == 2 ? 32 : 64;
    return comm_create(&config, &bootstrap, &comm, reason) == -EINVAL && strstr(reason, "rank 2") ? 0 : 2;
}

/* ---- the parent ---- */

static int serve_allgather(const int *socket, size_t bytes)
{
    char *all = malloc(bytes * PROCS);
    int error = all ? 0 : -ENOMEM;
    for (uint32_t r = 0; r < PROCS && !error; r++)
        error = move_all(socket[r], all + r * bytes, bytes, 0);
    for (uint32_t r = 0; r < PROCS && !error; r++)
        error = move_all(socket[r], all, bytes * PROCS, 1);
    free(all);
    return error;
}

static int serve_descriptor(const int *socket)
{
    int fd = -1, error = fd_pass_receive(socket[0], &fd);
    for (uint32_t r = 1; r < PROCS && !error; r++)
        error = fd_pass_send(socket[r], fd);
    if (fd >= 0)
        close(fd);
    return error;
}

/* Until the ranks hang up. */
static void serve(const int *socket)
{
    for (;;) {
        struct request request[PROCS];
        for (uint32_t r = 0; r < PROCS; r++)
            if (move_all(socket[r], &request[r], sizeof request[r], 0))
                return;
        if (request[0].op == 'A' ? serve_allgather(socket, request[0].bytes) : serve_descriptor(socket))
            return;
    }
}

static void start(const char *mode, uint32_t rank, int socket, int *others)
{
    char rank_text[16], socket_text[16];
    snprintf(rank_text, sizeof rank_text, "%u", rank);
    snprintf(socket_text, sizeof socket_text, "%d", socket);
    for (uint32_t r = 0; r < PROCS; r++)
        if (others[r] >= 0)
            close(others[r]);
    execl("/proc/self/exe", "embedded", mode, rank_text, socket_text, (char *)NULL);
    _exit(127);
}

static void run_mode(const char *mode)
{
    struct leftovers before = leftovers_count();
    int socket[PROCS] = {-1, -1, -1}, witness[2];
    assert_int_equal(pipe(witness), 0);
    assert_int_equal(dup2(witness[1], WITNESS_FD), WITNESS_FD); /* known to all ranks by their numbers */
    assert_int_equal(dup2(witness[0], WITNESS_FD + 1), WITNESS_FD + 1);
    close(witness[0]);
    close(witness[1]);
    pid_t pid[PROCS];
    for (uint32_t r = 0; r < PROCS; r++) {
        int pair[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        socket[r] = pair[0];
        pid[r] = fork();
        if (pid[r] == 0)
            start(mode, r, pair[1], socket);
        close(pair[1]);
    }
    close(WITNESS_FD);
    close(WITNESS_FD + 1);
    serve(socket);
    for (uint32_t r = 0; r < PROCS; r++) {
        int status;
        close(socket[r]);
        waitpid(pid[r], &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status))
            fail_msg("%s: rank %u ended with status %#x", mode, r, status);
    }
    assert_null(leftovers_find(before));
}

static void embeds(void **state)
{
    (void)state;
    run_mode("--broadcast");
}

static void refuses_disagreement(void **state)
{
    (void)state;
    run_mode("--disagree");
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        uint32_t rank = (uint32_t)atoi(argv[2]);
        int socket = atoi(argv[3]);
        alarm(HANGS_S);
        return strcmp(argv[1], "--disagree") == 0 ? disagreeing_main(rank, socket) : embedded_main(rank, socket);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(embeds), cmocka_unit_test(refuses_disagreement)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
