/* Node files: whatever comes in, a node or one line; and a node that was read is written and read again the same. */
#include "model/formats/node_yaml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void format_again(const char *text, size_t bytes)
{
    struct node again;
    char reason[200], *second;
    size_t second_bytes;
    if (node_yaml_parse("again", text, bytes, &again, reason, sizeof reason))
        abort();
    if (node_yaml_format(&again, &second, &second_bytes) || second_bytes != bytes || memcmp(text, second, bytes))
        abort();
    free(second);
    node_destroy(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct node node;
    char reason[200] = "", *text;
    size_t text_bytes;
    int err = node_yaml_parse("fuzz", (const char *)data, bytes, &node, reason, sizeof reason);
    if (err) {
        if (strncmp(reason, "fuzz", 4) || strchr(reason, '\n'))
            abort();
        return 0;
    }
    if (!node_yaml_format(&node, &text, &text_bytes)) {
        format_again(text, text_bytes);
        free(text);
    }
    node_destroy(&node);
    return 0;
}
