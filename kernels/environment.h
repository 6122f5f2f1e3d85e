/* What the host forbids. Each rank really tries what its communicator needs, once, when it is made; all learn what the others met
 * and draw the same conclusions: lanes are replaced by the next best, and a note says why. */
#ifndef SHMCOLL_KERNELS_ENVIRONMENT_H
#define SHMCOLL_KERNELS_ENVIRONMENT_H

#include "kernels/comm.h"
#include "kernels/peer.h"

enum environment_limit {
    ENVIRONMENT_READ,  /* other ranks' memory */
    ENVIRONMENT_WRITE,
    ENVIRONMENT_BIND,  /* memory to a domain */
    ENVIRONMENT_COUNT
};

/* What one rank met: 0 or -errno each. */
struct environment {
    int32_t error[ENVIRONMENT_COUNT];
};

/* Tries everything. At trial + r * stride_bytes is what rank r shows; peers NULL: nobody needs the others' memory. */
struct environment environment_try(const struct peers *peers, const struct peer_trial *trial, size_t stride_bytes);

/* all[procs]: replaces lanes of the configuration and adds what there is to say to the note. llc_bytes bounds the queue of
 * a lane that needs one, where the configuration does not say what takes its place. Returns how many lanes it has added: 0; or 2,
 * an eager one by which a root tells whether its message goes through the queue of the other. */
uint32_t environment_adapt(const struct environment *all, uint64_t llc_bytes, struct comm_config *config,
                           char note[COMM_NOTE_BYTES]);

/* The last-level cache of the cpus this process runs on, in bytes. sysconf may add up those of a whole machine, of which a
 * virtual one has a part. 32 MiB if nothing is known. */
uint64_t environment_cache_bytes(void);

/* Another sentence for the note. */
void environment_note_add(char note[COMM_NOTE_BYTES], const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
