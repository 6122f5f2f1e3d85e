#include "model/formats/network_yaml.h"
#include "model/formats/network_fields.h"
#include "model/formats/quantity_yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct yaml_text yaml;
    struct network network;
    struct network_layer *layer; /* being read */
};

static int whole_read(const struct yaml_text *yaml, const struct node_field *field, const yaml_node_t *node, uint32_t *out)
{
    uint64_t value;
    int err = yaml_text_whole(yaml, node, (uint64_t)field->min, (uint64_t)field->max, 0, &value);
    if (!err)
        *out = (uint32_t)value;
    return err;
}

static int quantity_read(const struct yaml_text *yaml, const struct node_field *field, const yaml_node_t *node,
                         struct quantity *out)
{
    int err = quantity_yaml_read(yaml, field, node, out);
    if (!err && strcmp(out->source, QUANTITY_SOURCE_DEFAULT) == 0)
        snprintf(out->source, sizeof out->source, "network file");
    return err;
}

static int kind_read(struct reading *r, const yaml_node_t *node)
{
    char name[16];
    if (node->type == YAML_SCALAR_NODE && node->data.scalar.length < sizeof name) {
        snprintf(name, sizeof name, "%s", (const char *)node->data.scalar.value);
        for (enum network_kind kind = 0; kind < NETWORK_KIND_COUNT; kind++)
            if (strcmp(name, network_kind_name(kind)) == 0) {
                r->network.kind = kind;
                return 0;
            }
    }
    return yaml_text_fail(&r->yaml, node, "unknown kind of network, use loggp, switch or fat_tree");
}

/* What stands behind ':' in the network's name. */
static int layer_name_read(struct reading *r, const struct node_field *field, const yaml_node_t *node)
{
    int err = yaml_text_string(&r->yaml, node, r->layer->name, (size_t)field->max);
    if (err)
        return err;
    for (const char *c = r->layer->name; *c; c++)
        if (*c <= ' ' || *c > '~' || strchr(":/,", *c))
            return yaml_text_fail(&r->yaml, node, "a layer's name is of printable characters without :, / and spaces");
    for (const struct network_layer *other = r->network.layer; other < r->layer; other++)
        if (strcmp(other->name, r->layer->name) == 0)
            return yaml_text_fail(&r->yaml, node, "layer %s given twice, keep one", other->name);
    return 0;
}

static int layer_take(void *context, size_t key, const yaml_node_t *node)
{
    struct reading *r = context;
    const struct node_field *field = &network_layer_fields[key];
    if (field->kind == FIELD_TEXT)
        return layer_name_read(r, field, node);
    return quantity_read(&r->yaml, field, node, (struct quantity *)((char *)r->layer + field->offset));
}

static int layers_read(struct reading *r, const struct node_field *field, const yaml_node_t *node)
{
    const char *names[NETWORK_LAYER_KEYS];
    size_t count;
    int err = yaml_text_sequence(&r->yaml, node, &count);
    for (size_t i = 0; i < NETWORK_LAYER_KEYS; i++)
        names[i] = network_layer_fields[i].name;
    if (!err && count > (size_t)field->max)
        err = yaml_text_fail(&r->yaml, node, "%zu layers are too many, at most %d", count, NETWORK_LAYERS_MAX);
    for (size_t i = 0; !err && i < count; i++) {
        const yaml_node_t *item = yaml_text_item(&r->yaml, node, i);
        r->layer = &r->network.layer[i];
        r->layer->overhead_ns = r->layer->gap_ns = quantity_unknown();
        err = yaml_text_mapping(&r->yaml, item, names, NETWORK_LAYER_KEYS, layer_take, r);
        if (!err && !r->layer->name[0])
            err = yaml_text_fail(&r->yaml, item, "a layer without a name, add 'name: NAME'");
        r->network.layers = (uint32_t)i + 1;
    }
    return err;
}

static int field_take(void *context, size_t key, const yaml_node_t *node)
{
    struct reading *r = context;
    const struct node_field *field = &network_fields[key].field;
    void *at = (char *)&r->network + field->offset;
    uint32_t version;
    switch (key) {
    case NETWORK_KEY_VERSION:
        return whole_read(&r->yaml, field, node, &version);
    case NETWORK_KEY_KIND:
        return kind_read(r, node);
    case NETWORK_KEY_OVERSUBSCRIPTION:
        return yaml_text_number(&r->yaml, node, field->min, field->max, at);
    case NETWORK_KEY_LAYERS:
        return layers_read(r, field, node);
    }
    return field->kind == FIELD_TEXT    ? yaml_text_string(&r->yaml, node, at, (size_t)field->max)
           : field->kind == FIELD_COUNT ? whole_read(&r->yaml, field, node, at)
                                        : quantity_read(&r->yaml, field, node, at);
}

/* What must be there, and what belongs to another kind. */
static int complete(struct reading *r)
{
    const yaml_node_t *root = r->yaml.root;
    struct network *n = &r->network;
    for (size_t i = NETWORK_KEY_LATENCY; i <= NETWORK_KEY_BYTE; i++) {
        const struct node_field *field = &network_fields[i].field;
        if (!quantity_known((const struct quantity *)((const char *)n + field->offset)))
            return yaml_text_fail(&r->yaml, root, "a network without %s, add '%s: NUMBER'", field->name, field->name);
    }
    for (size_t i = 0; i < NETWORK_FIELD_COUNT; i++) {
        const yaml_node_t *node = yaml_text_find(&r->yaml, root, network_fields[i].field.name);
        if (network_fields[i].of_tree && n->kind != NETWORK_FAT_TREE && node)
            return yaml_text_fail(&r->yaml, node, "%s is of a fat_tree, leave it out or add 'kind: fat_tree'",
                                  network_fields[i].field.name);
    }
    if (n->kind == NETWORK_FAT_TREE && (!n->levels || !n->radix))
        return yaml_text_fail(&r->yaml, root, "a fat_tree needs its shape, add 'levels: 2' and 'radix: 36'");
    if (n->kind == NETWORK_FAT_TREE && !fat_tree_room(n->levels, n->radix, n->oversubscription))
        return yaml_text_fail(&r->yaml, root, "%u levels of switches with %u ports, oversubscribed %g, leave no link up or down, "
                              "change one of them", n->levels, n->radix, n->oversubscription);
    if (!quantity_known(&n->receiver_gap_ns))
        n->receiver_gap_ns = n->gap_ns;
    return 0;
}

static int document_read(struct reading *r)
{
    const char *names[NETWORK_FIELD_COUNT];
    struct network *n = &r->network;
    for (size_t i = 0; i < NETWORK_FIELD_COUNT; i++)
        names[i] = network_fields[i].field.name;
    n->latency_ns = n->overhead_ns = n->gap_ns = n->receiver_gap_ns = n->byte_ns = quantity_unknown();
    n->switch_ns = n->link_byte_ns = quantity_unknown();
    n->oversubscription = 1;
    int err = yaml_text_mapping(&r->yaml, r->yaml.root, names, NETWORK_FIELD_COUNT, field_take, r);
    return err ? err : complete(r);
}

int network_yaml_parse(const char *path, const char *text, size_t bytes, struct network *out, char *reason, size_t reason_bytes)
{
    struct reading r = {0};
    int err = yaml_text_open(path, text, bytes, reason, reason_bytes, &r.yaml);
    if (err)
        return err;
    err = document_read(&r);
    yaml_text_close(&r.yaml);
    if (!err)
        *out = r.network;
    return err;
}

static void layers_write(FILE *out, const struct network *network)
{
    fputs("layers:\n", out);
    for (uint32_t i = 0; i < network->layers; i++) {
        fputs("- {name: ", out);
        quantity_yaml_write_text(out, network->layer[i].name);
        fputs(", overhead_ns: ", out);
        quantity_yaml_write(out, &network->layer[i].overhead_ns);
        fputs(", gap_ns: ", out);
        quantity_yaml_write(out, &network->layer[i].gap_ns);
        fputs("}\n", out);
    }
}

static void value_write(FILE *out, size_t key, const struct network *network)
{
    const struct node_field *field = &network_fields[key].field;
    const void *at = (const char *)network + field->offset;
    if (key == NETWORK_KEY_VERSION)
        fputs("1", out);
    else if (key == NETWORK_KEY_KIND)
        fputs(network_kind_name(network->kind), out);
    else if (key == NETWORK_KEY_OVERSUBSCRIPTION)
        quantity_yaml_write_number(out, network->oversubscription);
    else if (field->kind == FIELD_TEXT)
        quantity_yaml_write_text(out, at);
    else if (field->kind == FIELD_COUNT)
        fprintf(out, "%u", *(const uint32_t *)at);
    else
        quantity_yaml_write(out, at);
    putc('\n', out);
}

int network_yaml_format(const struct network *network, char **text, size_t *bytes)
{
    FILE *out = open_memstream(text, bytes);
    if (!out)
        return -ENOMEM;
    fputs("# A network of shmcoll. Times in the unit of their key.\n", out);
    for (size_t i = 0; i < NETWORK_FIELD_COUNT; i++) {
        const struct node_field *field = &network_fields[i].field;
        const void *at = (const char *)network + field->offset;
        if (i == NETWORK_KEY_LAYERS || (network_fields[i].of_tree && network->kind != NETWORK_FAT_TREE) ||
            (field->kind == FIELD_QUANTITY && quantity_yaml_is_default(at)) || (field->kind == FIELD_TEXT && !*(const char *)at))
            continue;
        fprintf(out, "%s: ", field->name);
        value_write(out, i, network);
    }
    if (network->layers)
        layers_write(out, network);
    int failed = ferror(out);
    if (fclose(out) || failed) {
        free(*text);
        return -ENOMEM;
    }
    return 0;
}
