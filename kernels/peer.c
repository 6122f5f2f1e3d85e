#include "kernels/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int peers_create(struct peers *out, const struct liveness_identity *identity, uint32_t procs, uint32_t rank)
{
    *out = (struct peers){.procs = procs, .rank = rank, .pid = calloc(procs, sizeof *out->pid)};
    if (!out->pid)
        return -ENOMEM;
    for (uint32_t r = 0; r < procs; r++) {
        int same_space = identity[r].pid_space == identity[rank].pid_space;
        int same_process = same_space && identity[r].pid == identity[rank].pid;
        out->pid[r] = same_process ? 0 : same_space ? identity[r].pid : -1; /* -1: a number that means nothing here */
    }
    return 0;
}

void peers_destroy(struct peers *peers)
{
    free(peers->pid);
    *peers = (struct peers){0};
}

typedef ssize_t vm_function(pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long, unsigned long);

/* All n bytes, however many calls it takes. */
static int vm_all(vm_function *move, int32_t pid, char *own, uint64_t address, size_t n)
{
    while (n > 0) {
        struct iovec local = {own, n},
                     remote = {(void *)(uintptr_t)address, n}; /* an address of the other process: never followed here */
        ssize_t moved = move(pid, &local, 1, &remote, 1, 0);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return moved < 0 ? -errno : -EFAULT;
        own += moved;
        address += (uint64_t)moved;
        n -= (size_t)moved;
    }
    return 0;
}

static int try_one(const struct peers *peers, uint32_t rank, const struct peer_trial *trial, int write)
{
    uint64_t value = trial->value;
    if (peers->pid[rank] == 0)
        return 0;
    if (peers->pid[rank] < 0)
        return -EXDEV;
    int error =
        vm_all(write ? process_vm_writev : process_vm_readv, peers->pid[rank], (char *)&value, trial->address, sizeof value);
    return !error && value != trial->value ? -ESRCH : error; /* somebody else's memory */
}

int peers_try_read(const struct peers *peers, uint32_t rank, const struct peer_trial *trial)
{
    return try_one(peers, rank, trial, 0);
}

int peers_try_write(const struct peers *peers, uint32_t rank, const struct peer_trial *trial)
{
    return try_one(peers, rank, trial, 1);
}

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t card_check(const struct peers *peers, const struct peer_card *card)
{
    return mixed(mixed(mixed(mixed(peers->secret, peers->call), card->where), card->address), card->bytes);
}

int peer_within_areas(const struct peers *peers, const void *buffer, uint64_t bytes)
{
    uint64_t offset = (uint64_t)((const char *)buffer - peers->base) - peers->areas_offset; /* huge if it lies before */
    uint64_t areas = peers->area_bytes * peers->procs;
    return offset < areas && bytes <= areas - offset;
}

void peer_offer(const struct peers *peers, struct peer_card *card, const void *buffer, uint64_t bytes)
{
    int within = peer_within_areas(peers, buffer, bytes);
    card->where = within ? PEER_AREA : PEER_PRIVATE;
    card->address = within ? (uint64_t)((const char *)buffer - peers->base) : (uint64_t)(uintptr_t)buffer;
    card->bytes = bytes;
    card->check = card_check(peers, card);
}

void peer_withdraw(struct peer_card *card)
{
    card->check = 0;
    card->bytes = 0;
}

/* Where the bytes are: a place in this process, or NULL and an address in the owner's. */
static int locate(const struct peers *peers, uint32_t owner, const struct peer_card *card, uint64_t offset_bytes, size_t n,
                  char **here, uint64_t *address)
{
    struct peer_card c = *card;
    __asm__ volatile("" ::: "memory"); /* what is checked is what is used: the card is not read again */
    if (owner >= peers->procs || c.check != card_check(peers, &c) || offset_bytes > c.bytes || n > c.bytes - offset_bytes)
        return -EPROTO;
    *address = c.address + offset_bytes;
    *here = NULL;
    if (c.where == PEER_AREA)
        *here = peers->base + *address;
    else if (peers->pid[owner] == 0)
        *here = (char *)(uintptr_t)*address;
    return 0;
}

int peer_read(const struct peers *peers, uint32_t owner, const struct peer_card *card, uint64_t offset_bytes, void *to, size_t n,
              enum copy_routine routine)
{
    char *here;
    uint64_t address;
    int error = locate(peers, owner, card, offset_bytes, n, &here, &address);
    if (error)
        return error;
    if (!here)
        return vm_all(process_vm_readv, peers->pid[owner], to, address, n);
    copy_bytes(routine, to, here, n);
    return 0;
}

int peer_write(const struct peers *peers, uint32_t owner, const struct peer_card *card, uint64_t offset_bytes, const void *from,
               size_t n, enum copy_routine routine)
{
    char *here;
    uint64_t address;
    int error = locate(peers, owner, card, offset_bytes, n, &here, &address);
    if (error)
        return error;
    if (!here)
        return vm_all(process_vm_writev, peers->pid[owner], (char *)(uintptr_t)from, address, n);
    copy_bytes(routine, here, from, n);
    copy_fence(routine); /* the owner learns of it by a word */
    return 0;
}
