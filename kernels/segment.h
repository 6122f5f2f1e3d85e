/* The shared segment of one communicator: an anonymous memory file, laid out by model/segment_layout
 * and followed by a head that belongs to the kernels. Never a name in /dev/shm, never a pointer inside.
 *
 * One rank plans and creates the file; every process maps it; every rank binds, allocates and touches
 * its own range only, so that its pages are on its own domain. All sizes are checked before a byte
 * is touched: too little memory is an error, not a signal. The calls are steps of comm_create. */
#ifndef SHMCOLL_KERNELS_SEGMENT_H
#define SHMCOLL_KERNELS_SEGMENT_H

#include "kernels/atomics.h"
#include "model/segment_layout.h"

#include <stdalign.h>
#include <stddef.h>

enum { SEGMENT_REASON_BYTES = 200, SEGMENT_LANES_MAX = 13 };

struct segment_options {
    uint32_t procs, lanes;
    struct segment_shape shape[SEGMENT_LANES_MAX];
    uint64_t area_bytes; /* a rank: for its user's buffers */
    int control_pages;   /* lane 0 has the layout of S1 Fig. 1 */
    int huge_pages;      /* ask for them; `note` says what came of it */
};

/* Plain data: decided by one rank, handed to the others as bytes. One layout a lane, one lane after another; then the
 * ranks' areas, then the head. */
struct segment_plan {
    struct segment_layout layout[SEGMENT_LANES_MAX];
    uint64_t lane_offset[SEGMENT_LANES_MAX];
    uint32_t lanes, procs, page_bytes;
    uint64_t areas_offset, area_bytes; /* bytes a rank */
    uint64_t head_offset; /* struct segment_head */
    uint64_t total_bytes; /* head included; a multiple of unit_bytes */
    uint64_t unit_bytes;  /* size of the pages asked for; ranges of ranks are multiples of it */
    int32_t hugetlb;      /* huge pages from the pool: the file itself is made of them */
    int32_t advise_huge;  /* transparent huge pages: advice */
    char note[SEGMENT_REASON_BYTES]; /* why huge pages asked for are not there; "" otherwise */
};

/* A rank's mark when it leaves. Written by that rank, read by those who wait. */
struct segment_leave {
    alignas(64) atomic_word left;  /* 1 after the rank's last call */
    atomic_word calls; /* how many it made */
};

struct segment_head {
    alignas(128) atomic_word sleepers; /* ranks asleep on a word; read after every store */
    alignas(128) atomic_word failed;   /* 0, or errno << 16 | rank + 1 of the first failure; written once */
    alignas(128) struct segment_leave leave[];
};
_Static_assert(offsetof(struct segment_head, leave) == 256, "lines of the head do not share");

/* 0; -EINVAL if the options make no layout; -EOVERFLOW if the size does not fit. Chooses the kind of pages. */
int segment_plan_make(const struct segment_options *options, struct segment_plan *out);

/* Creates the file. 0; -ENOMEM if it cannot fit (reason says how much there is), other -errno. */
int segment_file_create(const struct segment_plan *plan, int *fd, char reason[SEGMENT_REASON_BYTES]);
/* 0, or -errno. */
int segment_map(const struct segment_plan *plan, int fd, void **base, char reason[SEGMENT_REASON_BYTES]);
void segment_unmap(const struct segment_plan *plan, void *base);

struct segment_range {
    uint64_t offset, bytes;
};
/* A rank's range in a lane, and what precedes the ranks' ranges there: allocated by rank 0, as the head. */
struct segment_range segment_range_of_rank(const struct segment_plan *plan, uint32_t lane, uint32_t rank);
struct segment_range segment_range_leading(const struct segment_plan *plan, uint32_t lane);
struct segment_range segment_range_area(const struct segment_plan *plan, uint32_t rank);
struct segment_range segment_range_head(const struct segment_plan *plan);

/* Binds the range to a domain (-1: no wish), allocates and touches it. Kernels without NUMA
 * are no error. 0; -ENOMEM; other -errno. */
int segment_range_allocate(const struct segment_plan *plan, void *base, int fd, struct segment_range range, int domain_os,
                           char reason[SEGMENT_REASON_BYTES]);

static inline struct segment_head *segment_head(const struct segment_plan *plan, void *base)
{
    return (struct segment_head *)(void *)((char *)base + plan->head_offset);
}

static inline atomic_word *segment_word(const struct segment_layout *layout, void *base, uint32_t word, uint32_t owner,
                                        uint32_t index)
{
    return (atomic_word *)(void *)((char *)base + segment_word_offset(layout, word, owner, index));
}

#endif
