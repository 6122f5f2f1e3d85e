/* Other ranks' user buffers: offered by a card in the segment, reached by a plain copy where the buffer lies in the segment or
 * in this process, by the kernel (process_vm_readv, process_vm_writev) where it is another's.
 *
 * A card is written before the word that announces it and carries a check, so that a card overwritten by accident, or left from
 * an earlier call, is an error and not a copy to somewhere else. */
#ifndef SHMCOLL_KERNELS_PEER_H
#define SHMCOLL_KERNELS_PEER_H

#include "kernels/copy.h"
#include "kernels/liveness.h"

enum peer_where { PEER_PRIVATE = 1, PEER_AREA };

/* Lies behind WORD_OFFER on its line. */
struct peer_card {
    uint64_t where;   /* enum peer_where */
    uint64_t address; /* in the owner's memory, or from the segment's begin */
    uint64_t bytes;
    uint64_t check;
};
enum { PEER_CARD_OFFSET = 16 };

/* What a rank knows of the others. */
struct peers {
    uint32_t procs, rank;
    int32_t *pid;  /* [procs] 0: a thread of this process */
    uint64_t secret; /* of this communicator: goes into the check */
    uint32_t call;   /* the call being made, the same number on all ranks: an offer is good for one call */
    char *base;    /* of the segment */
    uint64_t areas_offset, area_bytes;
};

/* For the trial: what a rank shows the others when the communicator is made. */
struct peer_trial {
    uint64_t address, value;
};

/* 0 or -ENOMEM. */
int peers_create(struct peers *out, const struct liveness_identity *identity, uint32_t procs, uint32_t rank);
void peers_destroy(struct peers *peers);

/* Really reads or writes 8 bytes of another rank's memory. 0, or why it cannot be done: -EPERM, -ENOSYS, -EXDEV (another pid
 * namespace), ... */
int peers_try_read(const struct peers *peers, uint32_t rank, const struct peer_trial *trial);
int peers_try_write(const struct peers *peers, uint32_t rank, const struct peer_trial *trial);

/* Whether all of it lies in areas of the segment, so that everyone reaches it by itself. */
int peer_within_areas(const struct peers *peers, const void *buffer, uint64_t bytes);

/* Fills this rank's card. */
void peer_offer(const struct peers *peers, struct peer_card *card, const void *buffer, uint64_t bytes);

/* Takes the offer back: nobody reaches the buffer by it who has not begun to. */
void peer_withdraw(struct peer_card *card);

/* Copies between own memory and what `owner` offered, at an offset.
 * 0; -EPROTO if the card is none or the bytes are not all within it; -errno of the kernel (-ESRCH: the owner has gone). */
int peer_read(const struct peers *peers, uint32_t owner, const struct peer_card *card, uint64_t offset_bytes, void *to, size_t n,
              enum copy_routine routine);
int peer_write(const struct peers *peers, uint32_t owner, const struct peer_card *card, uint64_t offset_bytes, const void *from,
               size_t n, enum copy_routine routine);

#endif
