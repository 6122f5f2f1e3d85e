/* hwloc XML files: whatever comes in, a node whose numbers fit together, or one line. */
#include "model/formats/node_hwloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct node node;
    char reason[200] = "", *xml = malloc(bytes + 1);
    if (!xml)
        return 0;
    memcpy(xml, data, bytes);
    xml[bytes] = 0;
    int err = node_hwloc_xml("fuzz", xml, bytes, &node, reason, sizeof reason);
    free(xml);
    if (err && (strncmp(reason, "fuzz:", 5) || strchr(reason, '\n')))
        abort();
    if (err)
        return 0;
    for (uint32_t c = 0; c < node.cores; c++)
        if (node.core_domain[c] >= node.domains || node.core_socket[c] >= node.sockets)
            abort();
    node_destroy(&node);
    return 0;
}
