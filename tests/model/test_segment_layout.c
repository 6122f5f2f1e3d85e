/* segment_layout: Fig. 1 of S1, and that no two things share a byte. */
#include "tests/model/cmocka_all.h"

#include "model/segment_layout.h"

#include <errno.h>
#include <stdlib.h>

struct piece {
    uint64_t from, to;
    int owner; /* rank, -1: rank 0's common part */
};

static int packed(uint32_t procs, uint32_t slots, uint32_t sets, uint32_t fragment_bytes, uint32_t page_bytes, uint32_t lines,
                  struct segment_layout *out)
{
    struct segment_shape shape = {.procs = procs, .slots = slots, .sets = sets, .fragment_bytes = fragment_bytes, .lines = lines,
                                  .counters = lines / 8};
    return segment_layout_packed(&shape, page_bytes, out);
}

static int piece_compare(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void piece_add(struct piece *pieces, size_t *count, uint64_t from, uint64_t bytes, int owner)
{
    pieces[(*count)++] = (struct piece){from, from + bytes, owner};
}

/* Every word with its pair of lines, every fragment, the leaders. */
static size_t pieces_list(const struct segment_layout *l, struct piece *pieces)
{
    size_t n = 0;
    piece_add(pieces, &n, 0, l->procs * 4ull, -1);
    for (uint32_t k = 0; k < l->sets; k++) {
        piece_add(pieces, &n, segment_word_offset(l, WORD_SET_OP, 0, k), 128, -1);
        piece_add(pieces, &n, segment_word_offset(l, WORD_SET_NREADERS, 0, k), 128, -1);
    }
    for (uint32_t r = 0; r < l->procs; r++) {
        for (uint32_t i = 0; i < l->slots; i++) {
            piece_add(pieces, &n, segment_word_offset(l, WORD_CONTROL, r, i), 128, (int)r);
            piece_add(pieces, &n, segment_slot_offset(l, r, i), l->fragment_bytes, (int)r);
        }
        for (uint32_t i = 0; i < l->lines; i++)
            piece_add(pieces, &n, segment_word_offset(l, WORD_LINE, r, i), 128, (int)r);
        for (uint32_t i = 0; i < l->counters; i++)
            piece_add(pieces, &n, segment_word_offset(l, WORD_COUNTER, r, i), 128, (int)r);
        if (l->lines || l->counters) { /* the paper's layout has neither of these */
            piece_add(pieces, &n, segment_word_offset(l, WORD_ACK, r, 0), 128, (int)r);
            piece_add(pieces, &n, segment_word_offset(l, WORD_OFFER, r, 0), 128, (int)r);
        }
    }
    return n;
}

static void layout_check(const struct segment_layout *l)
{
    size_t most = 2 + 2 * l->sets + l->procs * (2ull * l->slots + l->lines + l->counters + 2);
    struct piece *pieces = calloc(most, sizeof *pieces);
    size_t n = pieces_list(l, pieces);
    qsort(pieces, n, sizeof *pieces, piece_compare);
    for (size_t i = 0; i < n; i++) {
        if (i && pieces[i].from < pieces[i - 1].to)
            fail_msg("pieces at %llu and %llu overlap", (unsigned long long)pieces[i - 1].from,
                     (unsigned long long)pieces[i].from);
        assert_int_equal(pieces[i].from % 128, 0);
        assert_true(pieces[i].to <= l->total_bytes);
        uint64_t range = l->ranks_offset + (pieces[i].owner < 0 ? 0 : (uint64_t)pieces[i].owner * l->rank_bytes);
        if (pieces[i].owner < 0)
            assert_true(pieces[i].to <= range);
        else
            assert_true(pieces[i].from >= range && pieces[i].to <= range + l->rank_bytes);
    }
    assert_int_equal(l->ranks_offset % l->page_bytes, 0);
    assert_int_equal(l->rank_bytes % l->page_bytes, 0);
    assert_int_equal(l->sets_offset % l->page_bytes, 0);
    assert_int_equal(l->total_bytes, l->ranks_offset + l->procs * l->rank_bytes);
    free(pieces);
}

static void test_figure_1(void **state)
{
    (void)state;
    struct segment_layout l;
    assert_int_equal(segment_layout_paper(8, 8, 2, 8192, 4096, &l), 0);
    assert_int_equal(l.total_bytes, 780 * 1024);
    assert_int_equal(l.sets_offset, 4096);
    assert_int_equal(l.ranks_offset, 3 * 4096);
    assert_int_equal(l.rank_bytes, 8 * (4096 + 8192));
    assert_int_equal(segment_word_offset(&l, WORD_CONTROL, 1, 1), l.ranks_offset + l.rank_bytes + 4096);
    assert_int_equal(segment_slot_offset(&l, 7, 7) + 8192, l.total_bytes);
    /* The text's other example: about 768 MiB. */
    assert_int_equal(segment_layout_paper(64, 1024, 2, 8192, 4096, &l), 0);
    assert_int_equal(l.total_bytes, (768ull << 20) + 3 * 4096);
}

static void test_leaders(void **state)
{
    (void)state;
    const uint32_t alternating[8] = {0, 1, 0, 1, 0, 1, 0, 1}, blocks[6] = {5, 5, 2, 2, 5, 9}, lone[1] = {3};
    const uint32_t want_blocks[6] = {0, 0, 2, 2, 0, 5};
    uint32_t leaders[8];
    segment_leaders_fill(8, alternating, leaders);
    assert_memory_equal(leaders, alternating, sizeof alternating);
    segment_leaders_fill(6, blocks, leaders);
    assert_memory_equal(leaders, want_blocks, sizeof want_blocks);
    segment_leaders_fill(1, lone, leaders);
    assert_int_equal(leaders[0], 0);
}

static void test_nothing_overlaps(void **state)
{
    (void)state;
    const uint32_t procs[] = {1, 2, 3, 8, 1500}, slots[] = {1, 2, 8, 63}, sets[] = {1, 2, 4};
    const uint32_t fragments[] = {1, 63, 128, 4095, 4096, 4097, 65536}, pages[] = {256, 4096, 65536, 2u << 20};
    unsigned checked = 0;
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < 4; b++)
            for (size_t c = 0; c < 3; c++)
                for (size_t d = 0; d < 7; d++)
                    for (size_t e = 0; e < 4; e++) {
                        struct segment_layout l;
                        if (procs[a] > 100 && (c || e != 1 || b > 1))
                            continue;
                        assert_int_equal(segment_layout_paper(procs[a], slots[b], sets[c], fragments[d], pages[e], &l), 0);
                        layout_check(&l);
                        for (uint32_t lines = 0; lines <= 32; lines += 16) {
                            assert_int_equal(
                                packed(procs[a], slots[b], sets[c], fragments[d], pages[e], lines, &l), 0);
                            layout_check(&l);
                            checked++;
                        }
                    }
    print_message("%u packed layouts checked\n", checked);
}

static void test_packed_strides(void **state)
{
    (void)state;
    struct segment_layout l;
    assert_int_equal(packed(2, 8, 2, 100, 4096, 32, &l), 0);
    assert_int_equal(l.fragment_stride_bytes, 128);
    assert_int_equal(l.control_stride_bytes, 128);
    assert_int_equal(l.fragments_offset % 4096, 0);
    assert_int_equal(packed(2, 8, 2, 5000, 2u << 20, 32, &l), 0);
    assert_int_equal(l.fragment_stride_bytes, 8192);
    assert_int_equal(l.rank_bytes, 2u << 20); /* all of a rank in one huge page */
}

static void found(const struct segment_layout *l, uint32_t word, uint32_t owner, uint32_t index)
{
    uint32_t got_word, got_owner, got_index;
    segment_word_find(l, segment_word_offset(l, word, owner, index), &got_word, &got_owner, &got_index);
    if (got_word != word || got_owner != owner || got_index != index)
        fail_msg("word %u[%u][%u] is found as %u[%u][%u]", word, owner, index, got_word, got_owner, got_index);
}

static void test_words_found(void **state)
{
    (void)state;
    struct segment_shape shapes[] = {
        {5, 8, 2, 100, 32, 3, 0}, {3, 0, 0, 0, 4, 0, 0}, {2, 0, 0, 0, 0, 2, 0}, {4, 6, 1, 9000, 0, 0, 1}};
    struct segment_layout l;
    for (size_t k = 0; k <= sizeof shapes / sizeof *shapes; k++) {
        int paper = k == sizeof shapes / sizeof *shapes;
        assert_int_equal(paper ? segment_layout_paper(3, 4, 2, 5000, 4096, &l) : segment_layout_packed(&shapes[k], 4096, &l), 0);
        for (uint32_t i = 0; i < l.sets; i++) {
            found(&l, WORD_SET_OP, 0, i);
            found(&l, WORD_SET_NREADERS, 0, i);
        }
        for (uint32_t r = 0; r < l.procs; r++) {
            for (uint32_t i = 0; i < l.slots; i++)
                found(&l, WORD_CONTROL, r, i);
            for (uint32_t i = 0; i < l.lines; i++)
                found(&l, WORD_LINE, r, i);
            for (uint32_t i = 0; i < l.counters; i++)
                found(&l, WORD_COUNTER, r, i);
            if (!paper) {
                found(&l, WORD_ACK, r, 0);
                found(&l, WORD_OFFER, r, 0);
            }
        }
    }
}

/* A second protocol's words are between the first's and the control blocks, on lines of their own; the slots are the same. */
static void test_second_view(void **state)
{
    (void)state;
    struct segment_shape shape = {.procs = 3, .slots = 4, .sets = 2, .fragment_bytes = 5000, .lines = 32, .counters = 3,
                                  .second_counters = 2};
    struct segment_layout first, second;
    assert_int_equal(segment_layout_packed(&shape, 4096, &first), 0);
    second = segment_layout_second(&first);
    for (uint32_t r = 0; r < 3; r++) {
        uint64_t last = segment_word_offset(&first, WORD_COUNTER, r, 2);
        const uint64_t words[] = {segment_word_offset(&second, WORD_ACK, r, 0), segment_word_offset(&second, WORD_OFFER, r, 0),
                                  segment_word_offset(&second, WORD_COUNTER, r, 0),
                                  segment_word_offset(&second, WORD_COUNTER, r, 1)};
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(words[i], last + (i + 1) * 128);
        assert_true(words[3] + 128 <= segment_word_offset(&first, WORD_CONTROL, r, 0));
        for (uint32_t slot = 0; slot < 4; slot++)
            assert_int_equal(segment_slot_offset(&second, r, slot), segment_slot_offset(&first, r, slot));
        found(&second, WORD_ACK, r, 0);
        found(&second, WORD_OFFER, r, 0);
        found(&second, WORD_COUNTER, r, 0);
        found(&second, WORD_COUNTER, r, 1);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    struct segment_layout l = {.procs = 77};
    assert_int_equal(segment_layout_paper(0, 1, 1, 1, 4096, &l), -EINVAL);
    assert_int_equal(segment_layout_paper(1, 0, 1, 1, 4096, &l), -EINVAL);
    assert_int_equal(segment_layout_paper(1, 1, 0, 1, 4096, &l), -EINVAL);
    assert_int_equal(segment_layout_paper(1, 1, 1, 0, 4096, &l), -EINVAL);
    assert_int_equal(segment_layout_paper(1, 1, 1, 1, 3000, &l), -EINVAL);
    assert_int_equal(segment_layout_paper(1, 1, 1, 1, 0, &l), -EINVAL);
    assert_int_equal(packed(1, 1, 1, 1, 128, 2, &l), -EINVAL);
    assert_int_equal(segment_layout_paper(UINT32_MAX, UINT32_MAX, 1, UINT32_MAX, 4096, &l), -EINVAL);
    assert_int_equal(packed(UINT32_MAX, UINT32_MAX, 1, UINT32_MAX, 4096, UINT32_MAX, &l), -EINVAL);
    assert_int_equal(packed(2, UINT32_MAX, 1, UINT32_MAX, 1u << 31, 2, &l), -EINVAL); /* above off_t, below 2^64 */
    /* 2^16 ranks of 2^48 bytes: the sum is 0 in 64 bits. */
    assert_int_equal(segment_layout_paper(1u << 16, 1u << 17, 1, (1u << 31) - 4096, 4096, &l), -EINVAL);
    assert_int_equal(l.procs, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_1),       cmocka_unit_test(test_leaders),  cmocka_unit_test(test_nothing_overlaps),
        cmocka_unit_test(test_packed_strides), cmocka_unit_test(test_words_found), cmocka_unit_test(test_second_view),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
