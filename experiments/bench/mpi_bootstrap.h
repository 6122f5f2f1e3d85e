/* How the ranks of an MPI program find each other: for a communicator of ours, struct comm_bootstrap over MPI_COMM_WORLD; and for
 * a contest. */
#ifndef SHMCOLL_EXPERIMENTS_MPI_BOOTSTRAP_H
#define SHMCOLL_EXPERIMENTS_MPI_BOOTSTRAP_H

#include "experiments/bench/contest.h"
#include "kernels/comm.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static inline int mpi_allgather(void *context, const void *mine, void *all, size_t bytes)
{
    (void)context;
    int count = (int)bytes;
    return MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : -EIO;
}

/* Processes of one user on one host open each other's descriptors by name. */
static inline int mpi_share_fd(void *context, int *fd)
{
    int number[2] = {(int)getpid(), *fd}, rank;
    char path[64];
    (void)context;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(number, 2, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank > 0) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", number[0], number[1]);
        *fd = open(path, O_RDWR | O_CLOEXEC);
    }
    int opened = *fd >= 0, all = 0;
    MPI_Allreduce(&opened, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all ? 0 : -EACCES;
}

static inline struct comm_bootstrap mpi_bootstrap(void)
{
    return (struct comm_bootstrap){.allgather = mpi_allgather, .share_fd = mpi_share_fd};
}

/* The agreement of all ranks goes through memory of its own, in *win until the caller frees it. One process's times are
 * comparable with another's only if both count the same way: rank 0's clock is everybody's. 0 or -ENOMEM. */
static inline int mpi_contest_create(struct contest *out, struct pool *pool, MPI_Win *win)
{
    int rank, procs, unit;
    void *base;
    struct clock clock = clock_create();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    MPI_Aint bytes = rank == 0 ? (MPI_Aint)contest_bytes() : 0;
    if (MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, win) != MPI_SUCCESS)
        return -ENOMEM;
    MPI_Win_shared_query(*win, 0, &bytes, &unit, &base);
    if (rank == 0)
        contest_clear(base);
    MPI_Bcast(&clock, (int)sizeof clock, MPI_BYTE, 0, MPI_COMM_WORLD);
    contest_create(out, (uint32_t)rank, (uint32_t)procs, base, &clock, pool);
    return 0;
}

#endif
