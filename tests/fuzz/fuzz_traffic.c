/* Traffic of applications: whatever comes in, a sound matrix or one line. What was read is written as an edge list and read again
 * the same; what is read as symmetric is so. */
#include "model/formats/traffic_read.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(int condition)
{
    if (!condition)
        abort();
}

static char *edges(const struct traffic *traffic, size_t *bytes)
{
    char *text;
    FILE *file = open_memstream(&text, bytes);
    must(file != NULL);
    for (uint32_t r = 0; r < traffic->ranks; r++)
        for (size_t i = traffic->first[r]; i < traffic->first[r + 1]; i++)
            fprintf(file, "%u %u %llu\n", r, traffic->to[i], (unsigned long long)traffic->bytes[i]);
    fclose(file);
    return text;
}

static void check(const struct traffic *t, int both_ways)
{
    uint64_t total = 0;
    for (uint32_t r = 0; r < t->ranks; r++)
        for (size_t i = t->first[r]; i < t->first[r + 1]; i++) {
            must(t->to[i] < t->ranks && t->to[i] != r && t->bytes[i] > 0);
            must(i == t->first[r] || t->to[i - 1] < t->to[i]);
            must(!both_ways || traffic_bytes(t, t->to[i], r) == t->bytes[i]);
            total += t->bytes[i];
        }
    must(total == t->total_bytes && total <= TRAFFIC_BYTES_MAX);
}

static void read_again(const struct traffic *traffic)
{
    struct traffic again;
    struct traffic_wish wish = {traffic->ranks, 0};
    char reason[200], *first, *second;
    size_t first_bytes, second_bytes;
    first = edges(traffic, &first_bytes);
    if (first_bytes) {
        must(traffic_read("again", first, first_bytes, &wish, &again, reason, sizeof reason) == 0);
        second = edges(&again, &second_bytes);
        must(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0);
        free(second);
        traffic_destroy(&again);
    }
    free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    for (int directed = 0; directed < 2; directed++) {
        struct traffic traffic;
        struct traffic_wish wish = {0, directed};
        char reason[300] = "";
        if (traffic_read("fuzz", (const char *)data, bytes, &wish, &traffic, reason, sizeof reason)) {
            must(strncmp(reason, "fuzz:", 5) == 0 && !strchr(reason, '\n'));
            continue;
        }
        int matrix = data[0] == '%' || (memchr(data, ',', bytes) && !memchr(data, '#', bytes)); /* a comment may have commas */
        check(&traffic, !directed && matrix);
        /* Ranks that send nothing take time and memory, and are all alike. */
        if (traffic.ranks <= 4096)
            read_again(&traffic);
        traffic_destroy(&traffic);
    }
    return 0;
}
