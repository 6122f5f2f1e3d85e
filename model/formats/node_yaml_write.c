#include "model/formats/node_fields.h"
#include "model/formats/node_yaml.h"
#include "model/formats/quantity_yaml.h"
#include "model/formats/text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PER_LINE = 20 };

static const void *array_of(const struct node_field *field, const struct node *node)
{
    const void *array;
    memcpy(&array, node_field_at(field, node), sizeof array);
    return array;
}

static void separator_write(FILE *out, size_t i)
{
    if (i)
        fputs(i % PER_LINE ? ", " : ",\n    ", out);
}

static void list_write(FILE *out, const struct node_field *field, const struct node *node)
{
    const void *array = array_of(field, node);
    size_t count = field->kind == FIELD_CORE_LIST ? node->cores : node->domains;
    putc('[', out);
    for (size_t i = 0; i < count; i++) {
        separator_write(out, i);
        if (field->kind == FIELD_DOMAIN_BYTES)
            fprintf(out, "%llu", (unsigned long long)((const uint64_t *)array)[i]);
        else
            fprintf(out, "%u", ((const uint32_t *)array)[i]);
    }
    fputs("]\n", out);
}

static void matrix_write(FILE *out, const double *matrix, size_t n)
{
    putc('\n', out);
    for (size_t i = 0; i < n; i++) {
        fputs("  - [", out);
        for (size_t j = 0; j < n; j++) {
            separator_write(out, j);
            quantity_yaml_write_number(out, matrix[i * n + j]);
        }
        fputs("]\n", out);
    }
}

/* The known ones of a group, a line each; the reader takes the others as unknown. */
static void group_write(FILE *out, const struct quantity_key *keys, size_t count, const void *base, const char *indent)
{
    for (size_t i = 0; i < count; i++) {
        const struct quantity *q = (const struct quantity *)((const char *)base + keys[i].offset);
        if (quantity_yaml_is_default(q))
            continue;
        fprintf(out, "%s%s: ", indent, keys[i].name);
        quantity_yaml_write(out, q);
        putc('\n', out);
    }
}

static int group_is_default(const struct quantity_key *keys, size_t count, const void *base)
{
    for (size_t i = 0; i < count; i++)
        if (!quantity_yaml_is_default((const struct quantity *)((const char *)base + keys[i].offset)))
            return 0;
    return 1;
}

static void copies_write(FILE *out, const struct node *node)
{
    for (int c = 0; c < COPY_CLASS_COUNT; c++)
        if (!group_is_default(copy_cost_keys, COPY_KEY_COUNT, &node->copy[c])) {
            fprintf(out, "  %s:\n", copy_class_name((enum copy_class)c));
            group_write(out, copy_cost_keys, COPY_KEY_COUNT, &node->copy[c], "    ");
        }
}

static void copy_points_write(FILE *out, const struct node *node)
{
    for (size_t i = 0; i < node->copy_point_count; i++) {
        const struct copy_point *p = &node->copy_points[i];
        fprintf(out, "  - {class: %s, fragment_bytes: %llu, queue_bytes: %llu, time_s: ", copy_class_name(p->copy_class),
                (unsigned long long)p->fragment_bytes, (unsigned long long)p->queue_bytes);
        quantity_yaml_write(out, &p->time_s);
        if (p->message_bytes)
            fprintf(out, ", message_bytes: %llu", (unsigned long long)p->message_bytes);
        if (!quantity_yaml_is_default(&p->beside_s)) {
            fputs(", beside_s: ", out);
            quantity_yaml_write(out, &p->beside_s);
        }
        fputs("}\n", out);
    }
}

static void bandwidth_write(FILE *out, const struct node *node)
{
    for (size_t i = 0; i < node->bandwidth_count; i++) {
        fprintf(out, "  - {cores: %u, bytes_per_s: ", node->bandwidth[i].cores);
        quantity_yaml_write(out, &node->bandwidth[i].bytes_per_s);
        fputs("}\n", out);
    }
}

/* What the reader supplies anyhow need not be there. */
static int field_is_absent(const struct node_field *field, const struct node *node)
{
    struct quantity_key keys[QUANTITY_GROUP_MAX];
    switch (field->kind) {
    case FIELD_QUANTITY:
        return quantity_yaml_is_default(node_field_at(field, node));
    case FIELD_QUANTITIES:
        return group_is_default(keys, node_field_group(field, keys), node);
    case FIELD_PAIRS:
        return !node->pair_handover_ns;
    case FIELD_COPY_POINTS:
        return !node->copy_point_count;
    case FIELD_BANDWIDTH:
        return !node->bandwidth_count;
    case FIELD_COPY:
        for (int c = 0; c < COPY_CLASS_COUNT; c++)
            if (!group_is_default(copy_cost_keys, COPY_KEY_COUNT, &node->copy[c]))
                return 0;
        return 1;
    default:
        return 0;
    }
}

static void value_write(FILE *out, const struct node_field *field, const struct node *node)
{
    const void *at = node_field_at(field, node);
    switch (field->kind) {
    case FIELD_VERSION:
        fprintf(out, "%d\n", (int)field->max);
        break;
    case FIELD_TEXT:
        quantity_yaml_write_text(out, at);
        putc('\n', out);
        break;
    case FIELD_COUNT:
    case FIELD_BYTES32:
        fprintf(out, "%u\n", *(const uint32_t *)at);
        break;
    case FIELD_BYTES64:
        fprintf(out, "%llu\n", (unsigned long long)*(const uint64_t *)at);
        break;
    case FIELD_FLAG:
        fputs(*(const int *)at ? "true\n" : "false\n", out);
        break;
    case FIELD_CORE_LIST:
    case FIELD_DOMAIN_LIST:
    case FIELD_DOMAIN_BYTES:
        list_write(out, field, node);
        break;
    default: /* quantity */
        quantity_yaml_write(out, at);
        putc('\n', out);
    }
}

static void lines_write(FILE *out, const struct node_field *field, const struct node *node)
{
    struct quantity_key keys[QUANTITY_GROUP_MAX];
    if (field->kind == FIELD_DISTANCE || field->kind == FIELD_PAIRS) {
        matrix_write(out, array_of(field, node), field->kind == FIELD_DISTANCE ? node->domains : node->cores);
        return;
    }
    putc('\n', out);
    if (field->kind == FIELD_QUANTITIES)
        group_write(out, keys, node_field_group(field, keys), node, "  ");
    else if (field->kind == FIELD_COPY)
        copies_write(out, node);
    else if (field->kind == FIELD_COPY_POINTS)
        copy_points_write(out, node);
    else
        bandwidth_write(out, node);
}

static int field_is_block(enum node_field_kind kind)
{
    return kind == FIELD_DISTANCE || kind == FIELD_PAIRS || kind == FIELD_QUANTITIES || kind == FIELD_COPY ||
           kind == FIELD_COPY_POINTS || kind == FIELD_BANDWIDTH;
}

int node_yaml_format(const struct node *node, char **text, size_t *bytes)
{
    FILE *out = open_memstream(text, bytes);
    if (!out)
        return -ENOMEM;
    fputs("# A node of shmcoll. Times and rates in the unit of their key; what is left out is unknown.\n", out);
    for (size_t i = 0; i < NODE_FIELD_COUNT; i++) {
        const struct node_field *field = &node_fields[i];
        if (field_is_absent(field, node))
            continue;
        fprintf(out, "%s:%s", field->name, field_is_block(field->kind) ? "" : " ");
        if (field_is_block(field->kind))
            lines_write(out, field, node);
        else
            value_write(out, field, node);
    }
    int failed = ferror(out);
    if (fclose(out) || failed) {
        free(*text);
        return -ENOMEM;
    }
    return 0;
}

int node_yaml_write(const char *path, const struct node *node, char *reason, size_t reason_bytes)
{
    char *text;
    size_t bytes;
    struct node again;
    int err = node_yaml_format(node, &text, &bytes);
    if (err) {
        snprintf(reason, reason_bytes, "%s: out of memory", path);
        return err;
    }
    err = node_yaml_parse(path, text, bytes, &again, reason, reason_bytes);
    if (!err) {
        node_destroy(&again);
        err = text_file_write(path, text, bytes, reason, reason_bytes);
    }
    free(text);
    return err;
}
