/* Where everything lies in the segment of one communicator (S1 Fig. 1): offsets only.
 *
 * In order: leaders[p]; q pages with the two counters of a set each, on lines of their own;
 * then per rank, on the rank's domain: acknowledgement, offer, eager lines, counters, perhaps the same words of a second
 * protocol, control blocks, fragments.
 * Every rank's range starts on a page and is padded to the page size in use. */
#ifndef SHMCOLL_MODEL_SEGMENT_LAYOUT_H
#define SHMCOLL_MODEL_SEGMENT_LAYOUT_H

#include "model/step.h"

#include <stdint.h>

/* What of everything a protocol needs. slots, sets, lines and counters may be 0 where it does not use them. */
struct segment_shape {
    uint32_t procs, slots, sets, fragment_bytes, lines, counters;
    uint32_t second_counters; /* of a second protocol that shares the slots; 0: there is none */
};

struct segment_layout {
    uint32_t procs, slots, sets, fragment_bytes, page_bytes;
    uint64_t control_stride_bytes;  /* page_bytes as in Fig. 1, or 128 packed */
    uint64_t fragment_stride_bytes; /* fragment rounded up to pages; see segment_layout_packed for its own rule */
    uint64_t sets_offset;           /* first set's page */
    uint64_t ranks_offset;          /* first rank's range */
    uint64_t rank_bytes;            /* length of one rank's range, a multiple of the page */
    uint64_t eager_offset;          /* within a rank's range; ack first, then the offer, the lines, the counters */
    uint64_t control_offset;        /* within a rank's range */
    uint64_t fragments_offset;      /* within a rank's range */
    uint64_t total_bytes;
    uint32_t lines, counters; /* a rank; 0 where the protocol has none */
    uint32_t second_counters;
};

/* The paper's layout: page-sized control blocks and no eager lines; total = w*ceil(4p/w) + w*q + p*s*(w + w*ceil(f/w)).
 * 0; -EINVAL if a parameter is 0, page not a power of two, or the size overflows. */
int segment_layout_paper(uint32_t procs, uint32_t slots, uint32_t sets, uint32_t fragment_bytes, uint32_t page_bytes,
                         struct segment_layout *out);
/* The layout the kernels use by default: every word on 128 bytes of its own.
 * Fragments are rounded up to 4096 bytes (to 128 if shorter than that), whatever the page size: with huge pages only the
 * set pages and each rank's range are padded to page_bytes. Returns as above, but only procs has to be positive. */
int segment_layout_packed(const struct segment_shape *shape, uint32_t page_bytes, struct segment_layout *out);

/* The same memory as the second protocol sees it: the same slots, words of its own, neither lines nor sets. */
struct segment_layout segment_layout_second(const struct segment_layout *layout);

/* leaders[i] = lowest rank on rank i's domain: the content of the segment's first page. */
void segment_leaders_fill(uint32_t procs, const uint32_t *domain_of_rank, uint32_t *leaders);

/* Offset of a word (the set counters of one set lie 128 bytes apart on the set's page). */
static inline uint64_t segment_word_offset(const struct segment_layout *l, uint32_t word, uint32_t owner, uint32_t index)
{
    uint64_t rank = l->ranks_offset + owner * l->rank_bytes;
    switch (word) {
    case WORD_SET_OP:
        return l->sets_offset + (uint64_t)index * l->page_bytes;
    case WORD_SET_NREADERS:
        return l->sets_offset + (uint64_t)index * l->page_bytes + 128;
    case WORD_CONTROL:
        return rank + l->control_offset + index * l->control_stride_bytes;
    case WORD_ACK:
        return rank + l->eager_offset;
    case WORD_OFFER:
        return rank + l->eager_offset + 128;
    case WORD_LINE:
        return rank + l->eager_offset + (2 + (uint64_t)index) * 128;
    default: /* WORD_COUNTER */
        return rank + l->eager_offset + (2 + (uint64_t)l->lines + index) * 128;
    }
}

/* The other way round: which word lies at the offset of one. */
void segment_word_find(const struct segment_layout *layout, uint64_t offset, uint32_t *word, uint32_t *owner, uint32_t *index);

static inline uint64_t segment_slot_offset(const struct segment_layout *l, uint32_t owner, uint32_t slot)
{
    return l->ranks_offset + owner * l->rank_bytes + l->fragments_offset + slot * l->fragment_stride_bytes;
}

#endif
