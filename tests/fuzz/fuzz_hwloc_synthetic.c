/* synthetic:DESC: never more cores and domains than the limits, whatever is asked for. */
#include "model/formats/node_hwloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct node node;
    char reason[200] = "", *text = malloc(bytes + 1);
    if (!text)
        return 0;
    memcpy(text, data, bytes);
    text[bytes] = 0;
    int err = node_hwloc_synthetic(text, &node, reason, sizeof reason);
    free(text);
    if (err && strncmp(reason, "synthetic:", 10))
        abort();
    if (err)
        return 0;
    if (node.cores > NODE_CORES_MAX || node.domains > NODE_DOMAINS_MAX || !node.domains)
        abort();
    node_destroy(&node);
    return 0;
}
