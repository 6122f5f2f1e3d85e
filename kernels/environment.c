#include "kernels/environment.h"

#include "kernels/placement.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { QUEUE_LEAST_BYTES = 128 << 10, QUEUE_MOST_BYTES = 1 << 20, QUEUE_OF_CACHE = 64, QUEUE_SLOTS = 16, QUEUE_SETS = 4,
       CACHE_GUESS_BYTES = 32 << 20 };

struct environment environment_try(const struct peers *peers, const struct peer_trial *trial, size_t stride_bytes)
{
    struct environment e = {{0}};
    for (uint32_t r = 0; peers && r < peers->procs; r++) {
        const struct peer_trial *one = (const struct peer_trial *)(const void *)((const char *)trial + r * stride_bytes);
        if (!e.error[ENVIRONMENT_READ])
            e.error[ENVIRONMENT_READ] = peers_try_read(peers, r, one);
        if (!e.error[ENVIRONMENT_WRITE])
            e.error[ENVIRONMENT_WRITE] = peers_try_write(peers, r, one);
    }
    e.error[ENVIRONMENT_BIND] = placement_bind_try();
    return e;
}

/* 0 if the kernel does not tell of that level. */
static uint64_t cache_level_bytes(int index)
{
    char path[96];
    unsigned long long kib = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/size", sched_getcpu(), index);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    int got = fscanf(file, "%lluK", &kib);
    fclose(file);
    return got == 1 ? kib << 10 : 0;
}

uint64_t environment_cache_bytes(void)
{
    uint64_t bytes = 0;
    for (int index = 4; index >= 2 && !bytes; index--)
        bytes = cache_level_bytes(index);
    long told = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes ? bytes : told > 0 ? (uint64_t)told : CACHE_GUESS_BYTES;
}

void environment_note_add(char note[COMM_NOTE_BYTES], const char *format, ...)
{
    size_t used = strlen(note);
    if (used > 0 && used < COMM_NOTE_BYTES - 3) {
        memcpy(note + used, "; ", 3);
        used += 2;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note + used, COMM_NOTE_BYTES - used, format, arguments);
    va_end(arguments);
}

/* The first rank that met the limit; procs if none did. */
static uint32_t first_limited(const struct environment *all, uint32_t procs, enum environment_limit limit)
{
    uint32_t r = 0;
    while (r < procs && all[r].error[limit] == 0)
        r++;
    return r;
}

static const char *why(int error)
{
    return error == -EXDEV   ? "another pid namespace"
           : error == -EPERM ? "not permitted: Yama, seccomp, another user or a process that may not be dumped"
                             : strerror(-error);
}

static int uses_peers(const struct comm_lane *lane)
{
    return (lane->protocol->uses & PROTOCOL_PEERS) != 0;
}

static int any_uses_peers(const struct comm_config *config)
{
    for (uint32_t i = 0; i < config->lanes; i++)
        if (uses_peers(&config->lane[i]))
            return 1;
    return 0;
}

/* A queue that stays in the cache beside everything else, in slots large enough to hide a hand-over. */
static struct comm_lane queue_lane(const struct comm_config *config, const struct comm_lane *instead_of, uint64_t llc_bytes)
{
    struct comm_lane lane = config->without_peers;
    uint64_t bytes = QUEUE_LEAST_BYTES;
    while (bytes < QUEUE_MOST_BYTES && 2 * bytes <= llc_bytes / QUEUE_OF_CACHE)
        bytes *= 2;
    if (!lane.protocol)
        lane = (struct comm_lane){.protocol = &protocol_counted,
                                  .fragment_bytes = (uint32_t)(bytes / QUEUE_SLOTS),
                                  .slots = QUEUE_SLOTS,
                                  .sets = QUEUE_SETS,
                                  .tree = instead_of->tree};
    lane.size_max_bytes = instead_of->size_max_bytes;
    lane.block_max_bytes = instead_of->block_max_bytes;
    return lane;
}

/* No rank's private memory can be read, but areas of the segment can: roots will say where their buffer lies. */
static uint32_t keep_areas(struct comm_config *config, uint64_t llc_bytes)
{
    const struct comm_lane last = config->lane[config->lanes - 1];
    for (uint32_t i = 0; i < config->lanes; i++)
        if (config->lane[i].protocol == &protocol_cooperative) /* would need the readers' buffers as well */
            config->lane[i].protocol = &protocol_shared_source;
    config->lane[config->lanes++] =
        (struct comm_lane){.protocol = &protocol_eager, .tree = last.tree, .size_max_bytes = last.size_max_bytes};
    config->lane[config->lanes++] = queue_lane(config, &last, llc_bytes);
    return 2;
}

static uint32_t adapt_read(const struct environment *all, uint64_t llc_bytes, struct comm_config *config, char *note)
{
    uint32_t rank = first_limited(all, config->procs, ENVIRONMENT_READ);
    if (rank == config->procs || !any_uses_peers(config))
        return 0;
    const char *name = config->without_peers.protocol ? config->without_peers.protocol->name : protocol_counted.name;
    int keep = config->area_bytes > 0 && config->lanes + 2 <= COMM_LANES_MAX;
    environment_note_add(note, "rank %u cannot read other ranks' memory (%s): messages go through the segment by %s%s", rank,
                         why(all[rank].error[ENVIRONMENT_READ]), name, keep ? " unless the root's buffer lies in its area" : "");
    if (keep)
        return keep_areas(config, llc_bytes);
    for (uint32_t i = 0; i < config->lanes; i++)
        if (uses_peers(&config->lane[i]))
            config->lane[i] = queue_lane(config, &config->lane[i], llc_bytes);
    return 0;
}

/* What reads only goes on; where buffers lie in areas they can be written to, but who knows beforehand. */
static void adapt_write(const struct environment *all, struct comm_config *config, char *note)
{
    uint32_t rank = first_limited(all, config->procs, ENVIRONMENT_WRITE), replaced = 0;
    for (uint32_t i = 0; i < config->lanes && rank < config->procs && config->procs == 2; i++)
        if (config->lane[i].protocol == &protocol_cooperative) {
            config->lane[i].protocol = &protocol_single_copy;
            replaced++;
        }
    if (replaced)
        environment_note_add(note, "rank %u cannot write to other ranks' memory (%s): single_copy takes the place of cooperative",
                             rank, why(all[rank].error[ENVIRONMENT_WRITE]));
}

uint32_t environment_adapt(const struct environment *all, uint64_t llc_bytes, struct comm_config *config,
                           char note[COMM_NOTE_BYTES])
{
    uint32_t added = adapt_read(all, llc_bytes, config, note);
    if (!added)
        adapt_write(all, config, note);
    uint32_t unbound = first_limited(all, config->procs, ENVIRONMENT_BIND);
    if (unbound < config->procs)
        environment_note_add(note, "rank %u cannot bind memory to its domain (mbind: %s): first touch places it", unbound,
                             strerror(-all[unbound].error[ENVIRONMENT_BIND]));
    return added;
}
