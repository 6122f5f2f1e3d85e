/* Graphs of many shapes and weights, and sizes of parts, made up at random; the same for a seed. */
#ifndef SHMCOLL_TESTS_PARTITION_RANDOM_GRAPHS_H
#define SHMCOLL_TESTS_PARTITION_RANDOM_GRAPHS_H

#include "partition/graph.h"

/* The next of a sequence, below `below`. */
uint32_t random_below(uint64_t *state, uint32_t below);
/* From `least` to `most`, each power of two as often. */
uint32_t random_size(uint64_t *state, uint32_t least, uint32_t most);
/* Returns what it is. Weights are of one, of some, up to 2^40, of both kinds, or all zero. */
const char *random_graph(struct graph *out, uint32_t vertices, uint64_t *state);
/* `parts` sizes of at least 1 that add up to the vertices; the caller's to free. */
uint32_t *random_sizes(uint32_t vertices, uint32_t parts, uint64_t *state);

#endif
