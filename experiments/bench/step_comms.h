/* Communicators of the kernels between two threads, for the benchmark that compares their step executor with others.
 *
 * Ranks are threads of this process; the communicators may afterwards be used by any one thread
 * each. Created and destroyed here, all at once. */
#ifndef SHMCOLL_BENCH_STEP_COMMS_H
#define SHMCOLL_BENCH_STEP_COMMS_H

#include "kernels/comm.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { STEP_COMM_RANKS = 2, STEP_COMM_BYTES_MAX = 8192 };

enum step_comm_kind { STEP_COMM_PIPELINED, STEP_COMM_EAGER, STEP_COMM_COUNTED };

struct step_exchange {
    pthread_barrier_t barrier;
    char gathered[STEP_COMM_RANKS * STEP_COMM_BYTES_MAX];
    int fd;
};

/* One rank while it creates. */
struct step_creator {
    struct step_exchange *exchange;
    struct comm_config config;
    struct comm *comm;
    char reason[COMM_REASON_BYTES];
    int error;
};

static int step_allgather(void *context, const void *mine, void *all, size_t bytes)
{
    struct step_creator *c = context;
    if (bytes > STEP_COMM_BYTES_MAX)
        return -1;
    memcpy(c->exchange->gathered + c->config.rank * bytes, mine, bytes);
    pthread_barrier_wait(&c->exchange->barrier);
    memcpy(all, c->exchange->gathered, STEP_COMM_RANKS * bytes);
    pthread_barrier_wait(&c->exchange->barrier);
    return 0;
}

static int step_share_fd(void *context, int *fd)
{
    struct step_creator *c = context;
    if (c->config.rank == 0)
        c->exchange->fd = *fd;
    pthread_barrier_wait(&c->exchange->barrier);
    if (c->config.rank != 0)
        *fd = dup(c->exchange->fd);
    pthread_barrier_wait(&c->exchange->barrier);
    return 0;
}

static void *step_create(void *argument)
{
    struct step_creator *c = argument;
    struct comm_bootstrap bootstrap = {.context = c, .allgather = step_allgather, .share_fd = step_share_fd};
    c->error = comm_create(&c->config, &bootstrap, &c->comm, c->reason);
    return NULL;
}

/* comm[rank] with 64 slots of 8 KiB in two sets, flat. 0, or an error of comm_create. */
static int step_comms_create(enum step_comm_kind kind, int generic_executor, struct comm *comm[STEP_COMM_RANKS])
{
    static struct step_exchange exchange;
    struct step_creator creator[STEP_COMM_RANKS];
    pthread_t thread[STEP_COMM_RANKS];
    pthread_barrier_init(&exchange.barrier, NULL, STEP_COMM_RANKS);
    for (uint32_t r = 0; r < STEP_COMM_RANKS; r++) {
        creator[r] = (struct step_creator){.exchange = &exchange, .config = comm_config_default(STEP_COMM_RANKS, r)};
        struct comm_config *config = &creator[r].config;
        config->lane[1].sets = 2;
        config->lane[0].tree = config->lane[1].tree = (struct tree_shape){TREE_FLAT, 0};
        if (kind == STEP_COMM_COUNTED)
            config->lane[1].protocol = &protocol_counted;
        if (kind != STEP_COMM_EAGER)
            config->lane[0] = config->lane[--config->lanes];
        config->generic_executor = generic_executor;
        config->copy_in = config->copy_out = COPY_MEMCPY;
        if (pthread_create(&thread[r], NULL, step_create, &creator[r]) != 0)
            return -1;
    }
    int error = 0;
    for (uint32_t r = 0; r < STEP_COMM_RANKS; r++) {
        pthread_join(thread[r], NULL);
        comm[r] = creator[r].comm;
        error = error ? error : creator[r].error;
    }
    pthread_barrier_destroy(&exchange.barrier);
    return error;
}

#endif
