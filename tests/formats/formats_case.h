/* What the tests of the formats share: cmocka, comparing nodes, making them up. */
#ifndef SHMCOLL_TESTS_FORMATS_FORMATS_CASE_H
#define SHMCOLL_TESTS_FORMATS_FORMATS_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/node.h"

/* Fails, naming the first field that differs; doubles are compared by their bits, NAN equal to NAN. */
void assert_node_equal(const struct node *a, const struct node *b);

/* A node with everything in it that a node file can hold, drawn from `seed`. To be given to node_destroy. */
void random_node(uint64_t seed, struct node *out);

/* A path below SHMCOLL_DATA, or ../shared/data; NULL if there is no such file. Static storage. */
const char *data_path(const char *name);

#endif
