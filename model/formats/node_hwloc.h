/* The shape of a node - cores, domains, sockets, caches, distances - as hwloc knows it. Costs stay unknown.
 *
 * One core stands for one hardware thread: the siblings of SMT are skipped, for two ranks on one core
 * share its copy rate. Cores that this process may not use are left out, and so are memory-only domains. */
#ifndef SHMCOLL_MODEL_FORMATS_NODE_HWLOC_H
#define SHMCOLL_MODEL_FORMATS_NODE_HWLOC_H

#include "model/node.h"

#include <stddef.h>

/* Beyond these a description is refused, so that a bad file cannot exhaust memory. */
enum { NODE_CORES_MAX = 4096, NODE_DOMAINS_MAX = 256 };

/* Each fills `out`, to be given to node_destroy; `out` is set on success only.
 * 0; -EINVAL if it describes no usable node; -E2BIG beyond the limits; -ENOMEM; one line in reason. */
int node_hwloc_host(struct node *out, char *reason, size_t reason_bytes);
/* `xml` has `bytes` bytes and a NUL beyond; `path` is for messages and the node's name. */
int node_hwloc_xml(const char *path, const char *xml, size_t bytes, struct node *out, char *reason, size_t reason_bytes);
/* hwloc's synthetic language: "pack:2 l3:1 core:8 pu:1", "numa:2 core:4 pu:2". */
int node_hwloc_synthetic(const char *text, struct node *out, char *reason, size_t reason_bytes);

#endif
