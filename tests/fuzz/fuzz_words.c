/* What stands behind options: sizes, lists, counts, durations, hosts and trees. Accepted text survives being printed and read
 * again. */
#include "experiments/host_list.h"
#include "experiments/sizes.h"
#include "model/tree.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void try_sizes(const char *text)
{
    uint64_t value = 0, again = 0;
    struct size_list list;
    double seconds = 0;
    char reason[200], printed[40];
    if (!size_parse(text, &value, reason, sizeof reason)) {
        size_format(value, printed, sizeof printed);
        if (size_parse(printed, &again, reason, sizeof reason) || again != value)
            abort();
    }
    if (!size_list_parse(text, &list, reason, sizeof reason) && (!list.count || list.count > SIZE_LIST_MAX))
        abort();
    if (!count_parse(text, 4096, &value, reason, sizeof reason) && value > 4096)
        abort();
    if (!duration_parse(text, &seconds, reason, sizeof reason) && !isfinite(seconds))
        abort();
}

/* Names are not empty, and each is read as itself. */
static void try_hosts(const char *text)
{
    struct host_list list, again;
    char reason[200] = "";
    if (host_list_parse(text, &list, reason, sizeof reason)) {
        if (!*reason || list.count || list.own)
            abort();
        return;
    }
    if (!list.count || list.count > HOST_LIST_MAX)
        abort();
    for (size_t i = 0; i < list.count; i += 1 + list.count / 16) {
        if (host_list_parse(list.name[i], &again, reason, sizeof reason) || again.count != 1 ||
            strcmp(again.name[0], list.name[i]))
            abort();
        host_list_destroy(&again);
    }
    host_list_destroy(&list);
}

static void try_tree(const char *text)
{
    struct tree_shape shape, again;
    struct tree tree;
    char printed[64];
    if (tree_shape_parse(text, &shape))
        return;
    tree_shape_format(shape, printed, sizeof printed);
    if (tree_shape_parse(printed, &again) || again.kind != shape.kind || again.degree != shape.degree)
        abort();
    if (!tree_create(shape, 37, &tree))
        tree_destroy(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    if (!text)
        return 0;
    memcpy(text, data, bytes);
    text[bytes] = 0;
    try_sizes(text);
    try_hosts(text);
    try_tree(text);
    free(text);
    return 0;
}
