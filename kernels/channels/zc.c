/* Without a copy in between (S2's ZC): a long message is offered with its address, and the receiver gets it from there, by
 * process_vm_readv where the sender is another process. Short ones, and all where that is forbidden, go as by sr. */
#include "kernels/channels/endpoint_internal.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FETCH_BYTES = 1 << 20, LOOK_PAGES = 1024 };

/* Whether all pages are mapped. A buffer that is not would be an error at the receiver, which cannot help it: copied by its
 * sender it is one where it was made. */
static int pages_mapped(uintptr_t begin, uintptr_t end)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = begin & ~(page - 1);
    unsigned char core[LOOK_PAGES];
    while (at < end) {
        uintptr_t n = end - at < page * LOOK_PAGES ? end - at : page * LOOK_PAGES;
        if (mincore((void *)at, n, core))
            return 0;
        at += page * LOOK_PAGES;
    }
    return 1;
}

/* The buffers looked at of late are not looked at again. One that has been unmapped since is found out by the receiver's read. */
static int buffer_checked(struct checked *c, const char *buffer, uint64_t bytes)
{
    uintptr_t begin = (uintptr_t)buffer, end = begin + bytes;
    for (uint32_t i = 0; i < CHECKED_RANGES; i++)
        if (begin >= c->range[i].begin && end <= c->range[i].end)
            return 1;
    if (end < begin || !pages_mapped(begin, end))
        return 0;
    c->range[c->next++ % CHECKED_RANGES] = (struct checked_range){begin, end};
    return 1;
}

static int announce(struct endpoint *e, struct peer *p, struct transfer *t)
{
    struct peer_card card;
    if (t->bytes <= e->config.offer_bytes || !buffer_checked(&e->checked, t->buffer, t->bytes))
        return packets_announce(e, p, t);
    peer_offer(&e->comm->peers, &card, t->buffer, t->bytes);
    return packets_offer(e, p, t, &card);
}

static int is_refusal(int error)
{
    return error == -EPERM || error == -EACCES || error == -ENOSYS || error == -EXDEV;
}

int zc_fetch(struct endpoint *e, struct peer *p)
{
    struct transfer *t = p->fetches.head;
    struct peer_card card = {.where = t->card_where, .address = t->card_address, .bytes = t->bytes, .check = t->card_check};
    uint64_t left = t->bytes - t->moved_bytes, n = left < FETCH_BYTES ? left : FETCH_BYTES;
    int error = peer_read(&e->comm->peers, p->rank, &card, t->moved_bytes, t->buffer + t->moved_bytes, n, COPY_MEMCPY);
    if (error == -EFAULT) /* unmapped by its owner, or gone with it, or with a rank that gave up as another died */
        error = comm_error_explained(e->comm, error);
    if (error && error != -EFAULT && !is_refusal(error))
        return error;
    t->moved_bytes += error ? 0 : n;
    if (!error && t->moved_bytes < t->bytes)
        return 1;
    transfer_queue_pop(&p->fetches);
    if (is_refusal(error)) { /* for good: the sender sends, from the begin */
        p->forbidden = 1;
        t->moved_bytes = 0;
    } else {
        t->answer = PACKET_FIN;
        t->error = error;
    }
    transfer_queue_push(&p->control, t);
    return 1;
}

const struct channel channel_zc = {
    .kind = &channel_kind_zc,
    .needs = 1u << CARRIER_QUEUE | 1u << CARRIER_POOL,
    .carrier = CARRIER_POOL,
    .announce = announce,
    .move = packets_move,
};
