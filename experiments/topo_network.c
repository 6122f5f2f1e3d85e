/* Networks in `topo`: a list, and one as its file. */
#include "experiments/topo.h"
#include "model/formats/network_fields.h"
#include "model/formats/network_presets.h"
#include "model/formats/network_yaml.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void topo_networks_list(FILE *file, enum format format)
{
    struct topo_rows rows = {file, format == FORMAT_JSONL};
    if (format == FORMAT_TABLE)
        fprintf(file, "\nnetworks:\n%-14s %s\n%-14s %s\n", "loggp", "contention-free, parameters on the command line", "switch",
                "the same by one switch, NICs shared by a node's ranks");
    for (const struct network *n = network_presets; *n->name; n++) {
        char item[NODE_NAME_BYTES + 16];
        snprintf(item, sizeof item, "network %s", n->name);
        if (format == FORMAT_TABLE)
            fprintf(file, "%-14s %s\n", n->name, n->description);
        else
            topo_row_emit(&rows, item, n->description, NULL, NULL);
    }
}

static void emit_number(const struct topo_rows *rows, const char *item, double value)
{
    struct quantity q = {.value = value, .low = NAN, .high = NAN};
    topo_row_emit(rows, item, NULL, &q, NULL);
}

static void rows_print(const struct topo_rows *rows, const struct network *n)
{
    char item[64];
    topo_row_emit(rows, "network", n->name, NULL, NULL);
    topo_row_emit(rows, "kind", network_kind_name(n->kind), NULL, NULL);
    for (size_t i = 0; i < NETWORK_FIELD_COUNT; i++) {
        const struct node_field *field = &network_fields[i].field;
        if (field->kind == FIELD_QUANTITY)
            topo_row_emit(rows, field->name, NULL, (const struct quantity *)((const char *)n + field->offset), "ns");
    }
    for (uint32_t i = 0; i < n->layers; i++) {
        snprintf(item, sizeof item, "layers.%s.overhead_ns", n->layer[i].name);
        topo_row_emit(rows, item, NULL, &n->layer[i].overhead_ns, "ns");
        snprintf(item, sizeof item, "layers.%s.gap_ns", n->layer[i].name);
        topo_row_emit(rows, item, NULL, &n->layer[i].gap_ns, "ns");
    }
    if (n->kind != NETWORK_FAT_TREE)
        return;
    emit_number(rows, "levels", n->levels);
    emit_number(rows, "radix", n->radix);
    emit_number(rows, "oversubscription", n->oversubscription);
    emit_number(rows, "nodes", fat_tree_room(n->levels, n->radix, n->oversubscription));
}

int topo_network_print(FILE *file, enum format format, const struct network *network)
{
    struct topo_rows rows = {file, format == FORMAT_JSONL};
    char *text;
    size_t bytes;
    if (format == FORMAT_TABLE) {
        if (network_yaml_format(network, &text, &bytes))
            return -ENOMEM;
        fwrite(text, 1, bytes, file);
        free(text);
        return 0;
    }
    if (format == FORMAT_CSV)
        fputs("item,value,low,high,unit,source\n", file);
    rows_print(&rows, network);
    return 0;
}
