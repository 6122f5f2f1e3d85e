/* How ranks that compete start together and say when they ended: the timing definition of the benchmark.
 *
 * All start at an instant of a common clock that rank 0 sets; a sample is the last end minus that instant. The ranks share
 * contest_bytes() of memory, zeroed by contest_clear before anyone uses it; a struct contest belongs to one rank. */
#ifndef SHMCOLL_EXPERIMENTS_CONTEST_H
#define SHMCOLL_EXPERIMENTS_CONTEST_H

#include "kernels/probe.h"

#include <stddef.h>
#include <stdint.h>

enum { CONTEST_RANKS_MAX = 64 };

struct agreement;

struct contest {
    uint32_t rank, procs;
    int crowded; /* more ranks than cpus: who waits yields */
    struct clock clock;
    struct agreement *shared;
    uint32_t turn; /* meetings so far */
    int late;
    struct probe probe;
    struct waiter waiter;
};

size_t contest_bytes(void);
void contest_clear(void *memory);
void contest_create(struct contest *out, uint32_t rank, uint32_t procs, void *memory, const struct clock *clock,
                    struct pool *pool);

/* What rank 0 says, on all ranks. */
int contest_agree(struct contest *contest, int says);
/* Waits for the agreed instant and returns 1, or 0 at once if rank 0 says that there is to be no more. */
int contest_begin(struct contest *contest, int more, uint64_t *deadline_ticks);
/* The call is over. sample_s is set on rank 0: seconds from the instant to the last end, 0 if a rank came late. */
void contest_end(struct contest *contest, uint64_t deadline_ticks, double *sample_s);

#endif
