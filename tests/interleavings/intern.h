/* A set of equally long byte records, each known by a dense number.
 *
 * Records are stored once, in order of arrival, so walking 0, 1, 2, ... visits them
 * first come, first served. Exact: records are compared, not their hashes. One thread. */
#ifndef SHMCOLL_TESTS_INTERN_H
#define SHMCOLL_TESTS_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct intern {
    size_t record_bytes;
    uint32_t count;
    uint32_t capacity; /* records allocated */
    uint8_t *records;
    uint32_t *buckets; /* open addressing, 0: empty, else number + 1 */
    uint32_t bucket_mask;
};

/* 0 or -ENOMEM. */
int intern_create(struct intern *table, size_t record_bytes);
void intern_destroy(struct intern *table);
/* Number of the record, which is added if it is new. 0 or -ENOMEM. */
int intern_put(struct intern *table, const void *record, uint32_t *number_out, int *added_out);
/* Valid until the next intern_put. */
const void *intern_get(const struct intern *table, uint32_t number);
size_t intern_bytes(const struct intern *table);

#endif
