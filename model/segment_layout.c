#include "model/segment_layout.h"

#include <errno.h>

enum {
    LINE_PAIR_BYTES = 128,  /* two lines: the adjacent-line prefetcher would make neighbours share */
    BASE_PAGE_BYTES = 4096, /* fragments are aligned to this even when the segment uses huge pages */
};

/* Saturating arithmetic: once `overflow` is set the sum is meaningless and the layout is refused. */
struct sum {
    uint64_t bytes;
    int overflow;
};

static void sum_add(struct sum *sum, uint64_t count, uint64_t each_bytes)
{
    uint64_t product;
    sum->overflow |= __builtin_mul_overflow(count, each_bytes, &product);
    sum->overflow |= __builtin_add_overflow(sum->bytes, product, &sum->bytes);
}

static void sum_round_up(struct sum *sum, uint64_t unit)
{
    sum->overflow |= __builtin_add_overflow(sum->bytes, unit - 1, &sum->bytes);
    sum->bytes &= ~(unit - 1);
}

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* The parameters, leaders and set pages, which both layouts have in common. */
static int layout_begin(const struct segment_shape *shape, uint32_t page_bytes, struct segment_layout *out)
{
    int page_valid = page_bytes >= 2 * LINE_PAIR_BYTES && (page_bytes & (page_bytes - 1)) == 0;
    if (!shape->procs || !page_valid)
        return -EINVAL;
    *out = (struct segment_layout){.procs = shape->procs, .slots = shape->slots, .sets = shape->sets, .lines = shape->lines,
                                   .counters = shape->counters, .fragment_bytes = shape->fragment_bytes,
                                   .page_bytes = page_bytes};
    /* Neither can overflow: 32-bit counts times 32-bit sizes. */
    out->sets_offset = round_up((uint64_t)shape->procs * sizeof(uint32_t), page_bytes);
    struct sum ranks = {.bytes = out->sets_offset};
    sum_add(&ranks, shape->sets, page_bytes);
    out->ranks_offset = ranks.bytes;
    return ranks.overflow ? -EINVAL : 0;
}

/* One rank's range is `rank`; all ranges follow the set pages. */
static int layout_end(struct segment_layout *layout, struct sum rank, struct segment_layout *out)
{
    sum_round_up(&rank, layout->page_bytes);
    struct sum total = {.bytes = layout->ranks_offset, .overflow = rank.overflow};
    sum_add(&total, layout->procs, rank.bytes);
    /* Offsets are handed to mmap and ftruncate, whose off_t is signed. */
    if (total.overflow || total.bytes > INT64_MAX)
        return -EINVAL;
    layout->rank_bytes = rank.bytes;
    layout->total_bytes = total.bytes;
    *out = *layout;
    return 0;
}

int segment_layout_paper(uint32_t procs, uint32_t slots, uint32_t sets, uint32_t fragment_bytes, uint32_t page_bytes,
                         struct segment_layout *out)
{
    struct segment_layout layout;
    struct segment_shape shape = {.procs = procs, .slots = slots, .sets = sets, .fragment_bytes = fragment_bytes};
    int err = slots && sets && fragment_bytes ? layout_begin(&shape, page_bytes, &layout) : -EINVAL;
    if (err)
        return err;
    struct sum rank = {0};
    layout.control_stride_bytes = page_bytes;
    layout.fragment_stride_bytes = round_up(fragment_bytes, page_bytes);
    sum_add(&rank, slots, layout.control_stride_bytes);
    layout.fragments_offset = rank.bytes;
    sum_add(&rank, slots, layout.fragment_stride_bytes);
    return layout_end(&layout, rank, out);
}

int segment_layout_packed(const struct segment_shape *shape, uint32_t page_bytes, struct segment_layout *out)
{
    struct segment_layout layout;
    int err = layout_begin(shape, page_bytes, &layout);
    if (err)
        return err;
    uint32_t base_page = page_bytes < BASE_PAGE_BYTES ? page_bytes : BASE_PAGE_BYTES;
    struct sum rank = {0};
    sum_add(&rank, 2 + (uint64_t)shape->lines + shape->counters, LINE_PAIR_BYTES);
    sum_add(&rank, shape->second_counters ? 2 + (uint64_t)shape->second_counters : 0, LINE_PAIR_BYTES);
    layout.second_counters = shape->second_counters;
    layout.control_offset = rank.bytes;
    layout.control_stride_bytes = LINE_PAIR_BYTES;
    sum_add(&rank, shape->slots, layout.control_stride_bytes);
    sum_round_up(&rank, base_page);
    layout.fragments_offset = rank.bytes;
    layout.fragment_stride_bytes =
        round_up(shape->fragment_bytes, shape->fragment_bytes < base_page ? LINE_PAIR_BYTES : base_page);
    sum_add(&rank, shape->slots, layout.fragment_stride_bytes);
    return layout_end(&layout, rank, out);
}

struct segment_layout segment_layout_second(const struct segment_layout *layout)
{
    struct segment_layout second = *layout;
    second.eager_offset += (2 + (uint64_t)layout->lines + layout->counters) * LINE_PAIR_BYTES;
    second.lines = 0;
    second.counters = layout->second_counters;
    second.second_counters = 0;
    second.sets = 0;
    return second;
}

void segment_leaders_fill(uint32_t procs, const uint32_t *domain_of_rank, uint32_t *leaders)
{
    for (uint32_t i = 0; i < procs; i++) {
        uint32_t leader = 0;
        while (domain_of_rank[leader] != domain_of_rank[i])
            leader++;
        leaders[i] = leader;
    }
}

void segment_word_find(const struct segment_layout *l, uint64_t offset, uint32_t *word, uint32_t *owner, uint32_t *index)
{
    *owner = 0;
    if (offset < l->ranks_offset) {
        uint64_t set = offset - l->sets_offset;
        *index = (uint32_t)(set / l->page_bytes);
        *word = set % l->page_bytes == 0 ? WORD_SET_OP : WORD_SET_NREADERS;
        return;
    }
    uint64_t rest = (offset - l->ranks_offset) % l->rank_bytes, line = (rest - l->eager_offset) / LINE_PAIR_BYTES;
    *owner = (uint32_t)((offset - l->ranks_offset) / l->rank_bytes);
    *index = 0;
    if (rest >= l->control_offset && l->slots > 0) {
        *word = WORD_CONTROL;
        *index = (uint32_t)((rest - l->control_offset) / l->control_stride_bytes);
    } else if (line < 2) {
        *word = line == 0 ? WORD_ACK : WORD_OFFER;
    } else {
        *word = line < 2 + (uint64_t)l->lines ? WORD_LINE : WORD_COUNTER;
        *index = (uint32_t)(line - 2 - (*word == WORD_LINE ? 0 : l->lines));
    }
}
