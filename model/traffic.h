/* Traffic: how many bytes each rank of an application sends to each other one.
 *
 * Row r is what rank r sends: entries first[r] to first[r + 1] - 1, by rising `to`, none to itself, none of 0 bytes. The struct
 * owns its arrays: traffic_create/traffic_destroy, or the reader in model/formats. A filled one is read-only. */
#ifndef SHMCOLL_MODEL_TRAFFIC_H
#define SHMCOLL_MODEL_TRAFFIC_H

#include <stddef.h>
#include <stdint.h>

enum { TRAFFIC_RANKS_MAX = 1 << 24 };
#define TRAFFIC_BYTES_MAX ((UINT64_C(1) << 62) - 1) /* of all together: twice as much still has a sign (GRAPH_WEIGHT_MAX) */

struct traffic {
    uint32_t ranks;
    size_t *first;   /* [ranks + 1] */
    uint32_t *to;    /* [first[ranks]] */
    uint64_t *bytes; /* [first[ranks]] */
    uint64_t total_bytes; /* of all */
};

/* As they come, in any order. `line` is where it was said, for messages. */
struct traffic_entry {
    uint32_t from, to;
    uint64_t bytes; /* at most TRAFFIC_BYTES_MAX */
    uint64_t line;
};

enum traffic_fault { TRAFFIC_SOUND, TRAFFIC_TWICE, TRAFFIC_TOO_MUCH, TRAFFIC_ONE_WAY };

/* What is wrong with entries: that is it. */
struct traffic_complaint {
    enum traffic_fault fault;
    struct traffic_entry entry;
    uint64_t back_bytes; /* TRAFFIC_ONE_WAY: of the way back */
};

enum traffic_rule {
    TRAFFIC_BOTH_WAYS = 1, /* as many bytes back as there, for every pair */
    TRAFFIC_ONCE = 2,      /* no pair twice; without it entries of a pair add up */
};

/* Sorts the entries in place; all ranks in them < ranks. 0; -EINVAL with what is wrong in `complaint`, the earliest line first;
 * -ENOMEM. */
int traffic_create(struct traffic *out, uint32_t ranks, struct traffic_entry *entries, size_t count, unsigned rules,
                   struct traffic_complaint *complaint);
void traffic_destroy(struct traffic *traffic);
/* Bytes of one pair; 0 if there is no such entry. O(log n). */
uint64_t traffic_bytes(const struct traffic *traffic, uint32_t from, uint32_t to);

#endif
