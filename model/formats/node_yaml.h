/* Node files: struct node as YAML, to be written by `calibrate` and by hand.
 *
 *   cores: 16                       the only key that must be there
 *   domains: 2                      cores are dealt evenly, in order, unless core_domain says otherwise
 *   core_os: [0-7, 16-23]           lists may hold ranges, and VALUE*COUNT: core_cache: [0*8, 1*8]
 *   l2_bytes: 256K
 *   handover_ns:
 *     same_cache: {value: 52.3, low: 50, high: 55, source: "measured"}
 *     cross_socket: 118             a bare number is exact; what is left out, or null, is unknown
 *
 * The keys are the fields of struct node, in the unit of their name. A file written and read again gives
 * the same struct, bit by bit. */
#ifndef SHMCOLL_MODEL_FORMATS_NODE_YAML_H
#define SHMCOLL_MODEL_FORMATS_NODE_YAML_H

#include "model/node.h"

#include <stddef.h>

/* `path` is for messages. `out` is set on success only, to be given to node_destroy.
 * 0; -EINVAL with "PATH:LINE:COL: what, what to try" in reason; -EFBIG, -ENOMEM. */
int node_yaml_parse(const char *path, const char *text, size_t bytes, struct node *out, char *reason, size_t reason_bytes);

/* The file's text in *text, to be freed. 0 or -ENOMEM. */
int node_yaml_format(const struct node *node, char **text, size_t *bytes);

/* Writes the file at once, after checking that it can be read again: a node no reader takes is not written.
 * 0 or -errno with one line in reason. */
int node_yaml_write(const char *path, const struct node *node, char *reason, size_t reason_bytes);

#endif
