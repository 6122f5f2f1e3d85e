/* How the ranks of an MPI program find each other for a communicator of ours: struct comm_bootstrap over MPI_COMM_WORLD. */
#ifndef SHMCOLL_EXPERIMENTS_MPI_BOOTSTRAP_H
#define SHMCOLL_EXPERIMENTS_MPI_BOOTSTRAP_H

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

#endif
