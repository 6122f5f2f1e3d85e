#include "tests/interleavings/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_RECORDS = 1024, BUCKETS_PER_RECORD = 2 };

int intern_create(struct intern *table, size_t record_bytes)
{
    uint32_t buckets = FIRST_RECORDS * BUCKETS_PER_RECORD;
    struct intern t = {.record_bytes = record_bytes, .capacity = FIRST_RECORDS, .bucket_mask = buckets - 1};
    t.records = malloc(record_bytes * t.capacity);
    t.buckets = calloc(buckets, sizeof *t.buckets);
    if (!t.records || !t.buckets) {
        intern_destroy(&t);
        return -ENOMEM;
    }
    *table = t;
    return 0;
}

void intern_destroy(struct intern *table)
{
    free(table->records);
    free(table->buckets);
    *table = (struct intern){0};
}

/* Multiplies and folds eight bytes at a time; the last word may be short. */
static uint32_t hash_of(const uint8_t *bytes, size_t n)
{
    uint64_t h = n * UINT64_C(0x9e3779b97f4a7c15);
    while (n) {
        uint64_t word = 0;
        size_t step = n < sizeof word ? n : sizeof word;
        memcpy(&word, bytes, step);
        h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
        bytes += step;
        n -= step;
    }
    return (uint32_t)(h ^ h >> 29);
}

const void *intern_get(const struct intern *table, uint32_t number)
{
    return table->records + (size_t)number * table->record_bytes;
}

/* The bucket that holds the record, or the empty one where it belongs. */
static uint32_t find_bucket(const struct intern *table, const void *record)
{
    uint32_t at = hash_of(record, table->record_bytes) & table->bucket_mask;
    while (table->buckets[at] && memcmp(intern_get(table, table->buckets[at] - 1), record, table->record_bytes) != 0)
        at = (at + 1) & table->bucket_mask;
    return at;
}

static int grow(struct intern *table)
{
    uint32_t capacity = table->capacity * 2, buckets = capacity * BUCKETS_PER_RECORD;
    uint8_t *records = realloc(table->records, table->record_bytes * capacity);
    if (!records)
        return -ENOMEM;
    table->records = records;
    uint32_t *fresh = calloc(buckets, sizeof *fresh);
    if (!fresh)
        return -ENOMEM;
    free(table->buckets);
    table->buckets = fresh;
    table->bucket_mask = buckets - 1;
    table->capacity = capacity;
    for (uint32_t i = 0; i < table->count; i++)
        fresh[find_bucket(table, intern_get(table, i))] = i + 1;
    return 0;
}

int intern_put(struct intern *table, const void *record, uint32_t *number_out, int *added_out)
{
    uint32_t at = find_bucket(table, record);
    *added_out = table->buckets[at] == 0;
    if (!*added_out) {
        *number_out = table->buckets[at] - 1;
        return 0;
    }
    if (table->count == table->capacity) {
        int err = grow(table);
        if (err)
            return err;
        at = find_bucket(table, record);
    }
    memcpy(table->records + (size_t)table->count * table->record_bytes, record, table->record_bytes);
    *number_out = table->count++;
    table->buckets[at] = table->count;
    return 0;
}

size_t intern_bytes(const struct intern *table)
{
    return (size_t)table->capacity * (table->record_bytes + BUCKETS_PER_RECORD * sizeof *table->buckets);
}
