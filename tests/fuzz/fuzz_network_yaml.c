/* Network files: whatever comes in, a network or one line; and one that was read is written and read again the same, and has room
 * for a node or says why not. */
#include "model/formats/network_yaml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void format_again(const char *text, size_t bytes)
{
    struct network again;
    char reason[200], *second;
    size_t second_bytes;
    if (network_yaml_parse("again", text, bytes, &again, reason, sizeof reason))
        abort();
    if (network_yaml_format(&again, &second, &second_bytes))
        return;
    if (second_bytes != bytes || memcmp(text, second, bytes))
        abort();
    free(second);
}

/* Every link of every way is one that there is. */
static void try_links(const struct network *network)
{
    struct fat_tree tree;
    char reason[200] = "";
    const uint32_t nodes = 5;
    if (network_tree(network, nodes, &tree, reason, sizeof reason)) {
        if (!*reason)
            abort();
        return;
    }
    for (uint32_t i = 0; i < nodes * nodes; i++) {
        uint32_t from = i / nodes, to = i % nodes, turn = fat_tree_turn(&tree, from, to);
        for (uint32_t hop = 0; hop < 2 * turn; hop++)
            if (fat_tree_link(&tree, from, to, turn, hop) >= tree.links)
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct network network;
    char reason[200] = "", *text;
    size_t text_bytes;
    int err = network_yaml_parse("fuzz", (const char *)data, bytes, &network, reason, sizeof reason);
    if (err) {
        if (strncmp(reason, "fuzz", 4) || strchr(reason, '\n'))
            abort();
        return 0;
    }
    try_links(&network);
    for (uint32_t i = 0; i < network.layers; i++) {
        struct network with = network;
        if (network_layer_apply(&with, network.layer[i].name))
            abort();
    }
    if (!network_yaml_format(&network, &text, &text_bytes)) {
        format_again(text, text_bytes);
        free(text);
    }
    return 0;
}
