/* Memory of channels by hand, and registrations that are kept. */
#include "tests/model/cmocka_all.h"

#include "model/channel/channel_memory.h"
#include "model/channel/registration.h"

#include <stdint.h>

static struct channel_shape shape_of(const struct channel_kind *kind)
{
    return channel_shape_default(kind);
}

/* 16 ranks: queues of 16 * 4 + 64 packets; two pools of 32 units of 8 KiB; rings of 64 KiB, eight at most for combined. */
static void by_hand(void **state)
{
    (void)state;
    const uint64_t queue = 128 * 256, pools = 2 * 32 * 8192, ring = 65536, peer = 256;
    struct channel_use all = {16, 15, 15, 15}, few = {16, 6, 3, 3}, none = {16, 0, 0, 0};
    struct channel_shape er = shape_of(&channel_kind_er), combined = shape_of(&channel_kind_combined),
                         sr = shape_of(&channel_kind_sr), mp = shape_of(&channel_kind_mp);
    assert_int_equal(channel_memory_bytes(&channel_kind_er, &er, &all), queue + 15 * peer + 30 * ring);
    assert_int_equal(channel_memory_bytes(&channel_kind_er, &er, &few), queue + 6 * peer + 6 * ring);
    assert_int_equal(channel_memory_bytes(&channel_kind_combined, &combined, &all), queue + pools + 15 * peer + 16 * ring);
    assert_int_equal(channel_memory_bytes(&channel_kind_combined, &combined, &few), queue + pools + 6 * peer + 6 * ring);
    assert_int_equal(channel_memory_bytes(&channel_kind_sr, &sr, &all), queue + pools + 15 * peer);
    assert_int_equal(channel_memory_bytes(&channel_kind_mp, &mp, &all), queue + 15 * peer);
    assert_int_equal(channel_memory_bytes(&channel_kind_er, &er, &none), queue);
    /* A queue has room for all senders' first credits, to a power of two. */
    assert_int_equal(channel_memory_fixed_bytes(&channel_kind_er, &er, 65536), UINT64_C(524288) * 256);
    mp.queue_initial = UINT32_MAX;
    assert_true(channel_memory_bytes(&channel_kind_mp, &mp, &all) == UINT64_MAX);
}

static void registrations_are_kept_until_there_is_no_room(void **state)
{
    (void)state;
    struct registration entry[3] = {{0, 0, 0}};
    struct registration_cache cache = {.entry = entry, .entries = 3};
    assert_int_equal(registration_use(&cache, 0, 4096), 0);
    assert_int_equal(registration_use(&cache, 0, 4096), 1);
    assert_int_equal(registration_use(&cache, 96, 4000), 1); /* within it */
    assert_int_equal(registration_use(&cache, 97, 4000), 0); /* a byte beyond */
    assert_int_equal(registration_use(&cache, UINT64_MAX, 1), 0);
    assert_int_equal(registration_use(&cache, 0, 4096), 1);
    assert_int_equal(registration_use(&cache, 10000, 1), 0); /* in place of 97, the one not used for longest */
    assert_int_equal(cache.evicted, 1);
    assert_int_equal(registration_use(&cache, 0, 4096), 1);
    assert_int_equal(registration_use(&cache, UINT64_MAX, 1), 1);
    assert_int_equal(registration_use(&cache, 97, 4000), 0);
    assert_int_equal(cache.hits, 5);
    assert_int_equal(cache.misses, 5);
    cache.entries = 0;
    assert_int_equal(registration_use(&cache, 0, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand),
                                       cmocka_unit_test(registrations_are_kept_until_there_is_no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
