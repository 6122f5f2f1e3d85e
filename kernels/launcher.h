/* The launcher: runs one function as N ranks, processes or threads, and cleans up after them.
 *
 * A client of comm.h like any other: it supplies the bootstrap callbacks through memory it shares with its ranks.
 * Processes are forked from the calling thread (open no thread and no database before), pinned if asked,
 * die with the launcher, and end by _exit. Whatever happens, no process, descriptor or file remains.
 * SIGINT, SIGTERM and SIGHUP that arrive meanwhile end all ranks and stay pending for the caller. */
#ifndef SHMCOLL_KERNELS_LAUNCHER_H
#define SHMCOLL_KERNELS_LAUNCHER_H

#include "kernels/comm.h"
#include "kernels/wait.h"
#include "model/scenario.h"

struct launch_options {
    uint32_t procs;
    enum backend backend;
    const uint32_t *cpu_os; /* [procs] the operating system's cpu of each rank; NULL: not pinned */
    double timeout_s;       /* 0: none */
    double grace_s;         /* that ranks have to end by themselves once one died or failed; 0: three seconds */
    size_t result_bytes;    /* shared memory for each rank's result */
    size_t common_bytes;    /* shared memory for all */
};

struct launch_shared;

/* One rank, as its body sees it. */
struct launch_rank {
    uint32_t rank, procs;
    struct comm_bootstrap bootstrap;
    void *result; /* result_bytes, zeroed, on cache lines of its own */
    void *common; /* common_bytes, zeroed, seen by all ranks */
    char *message; /* COMM_REASON_BYTES: why the body failed */
    struct launch_shared *shared;
    uint32_t barriers;
    int socket_from_root, *socket_to_rank;
    /* For bodies to set: waits in the launcher's own functions that last this long are told, as comm_config.stall. 0: never. */
    double stall_report_s;
    void (*stall)(const char *text);
};

/* 0 or -errno with self->message set. A rank that fails makes the others' barriers fail. */
typedef int (*launch_body)(struct launch_rank *self, void *argument);

struct launch_report {
    int64_t failed_rank; /* -1 if none in particular */
    int signal;          /* that killed it, 0 */
    char reason[COMM_REASON_BYTES];
    char note[COMM_REASON_BYTES]; /* what could not be had: pinning; "" if nothing */
};

/* Runs body on all ranks and waits for them.
 *   argument  reaches processes by fork, as it was
 *   results   [procs * result_bytes], or NULL
 *   common    [common_bytes] as the ranks left it, or NULL
 * Returns 0; a rank's error; -EOWNERDEAD if a rank was killed; -ETIMEDOUT; -EINTR for a signal; other -errno. */
int launcher_run(const struct launch_options *options, launch_body body, void *argument, void *results, void *common,
                 struct launch_report *report);

/* For bodies. 0; -EOWNERDEAD if a rank died or failed. */
int launcher_barrier(struct launch_rank *self);
/* A waiter for words of `common`: it ends with -EOWNERDEAD when a rank dies or fails. */
struct waiter launcher_waiter(struct launch_rank *self);
/* Waits on a word of `common`, as wait_until does; whoever stores to it calls launcher_wake. */
int launcher_wait(struct launch_rank *self, atomic_word *word, uint32_t op, uint32_t value);
void launcher_wake(struct launch_rank *self, atomic_word *word);
/* Whether some ranks share a cpu. */
int launcher_crowded(const struct launch_rank *self);
/* For comm_config.dead_rank: a rank that was killed or whose body failed, -1 if none. `context` is the struct launch_rank. */
int64_t launcher_dead_rank(void *context);

#endif
