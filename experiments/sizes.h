/* Sizes, counts and durations as people write them: 64K, 1K..16M, 0,1,4096, 10us. */
#ifndef SHMCOLL_EXPERIMENTS_SIZES_H
#define SHMCOLL_EXPERIMENTS_SIZES_H

#include <stddef.h>
#include <stdint.h>

enum { SIZE_LIST_MAX = 128 };

struct size_list {
    uint64_t value[SIZE_LIST_MAX];
    size_t count;
};

/* Digits with an optional K, M or G (1024). 0; -EINVAL with one line in `reason`, *out untouched. */
int size_parse(const char *text, uint64_t *out, char *reason, size_t reason_bytes);
/* A list of sizes and of ranges A..B that double from A up to B, comma between. Same errors. */
int size_list_parse(const char *text, struct size_list *out, char *reason, size_t reason_bytes);
/* Digits only. Same errors. */
int count_parse(const char *text, uint64_t maximum, uint64_t *out, char *reason, size_t reason_bytes);
/* A number with ns, us, ms or s, in seconds. Same errors. */
int duration_parse(const char *text, double *out_s, char *reason, size_t reason_bytes);
/* 65536 -> 64K, 12345 -> 12345. Returns `text`. */
const char *size_format(uint64_t bytes, char *text, size_t text_bytes);

#endif
