/* What --node names, as a node. */
#ifndef SHMCOLL_MODEL_FORMATS_NODE_LOAD_H
#define SHMCOLL_MODEL_FORMATS_NODE_LOAD_H

#include "model/node.h"

#include <stddef.h>

/* `spec` is host, a preset's name, synthetic:DESC, or the path of a node file or of an hwloc XML file (told apart by
 * content). `out` is set on success only and to be given to node_destroy.
 * 0; -ENOENT for an unknown name or missing file; -EINVAL, -E2BIG, -EFBIG for a bad one; -ENOMEM; one line in reason. */
int node_load(const char *spec, struct node *out, char *reason, size_t reason_bytes);

#endif
