#include "model/formats/node_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *node_reader_array(struct node_reader *r, const struct node_field *field)
{
    void *array;
    memcpy(&array, (const char *)&r->node + field->offset, sizeof array);
    return array;
}

/* One item of a list of numbers: N, FIRST-LAST, or VALUE*COUNT. */
struct item {
    uint64_t value, count;
    int step;
};

static int item_read(const struct yaml_text *yaml, const yaml_node_t *node, const struct node_field *field, struct item *out)
{
    unsigned first, second;
    int used = 0;
    const char *text = node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
    *out = (struct item){0, 1, 0};
    if (sscanf(text, "%9u*%9u%n", &first, &second, &used) == 2 && !text[used] && first <= field->max && second > 0)
        *out = (struct item){first, second, 0};
    else if (sscanf(text, "%9u-%9u%n", &first, &second, &used) == 2 && !text[used] && first <= second && second <= field->max)
        *out = (struct item){first, second - first + 1, 1};
    else
        return yaml_text_whole(yaml, node, 0, (uint64_t)field->max, field->kind == FIELD_DOMAIN_BYTES, &out->value);
    return 0;
}

static void number_put(const struct node_field *field, void *array, size_t i, uint64_t value)
{
    if (field->kind == FIELD_DOMAIN_BYTES)
        ((uint64_t *)array)[i] = value;
    else
        ((uint32_t *)array)[i] = (uint32_t)value;
}

int node_reader_list(struct node_reader *r, const struct node_field *field, const yaml_node_t *node)
{
    void *array = node_reader_array(r, field);
    int by_core = field->kind == FIELD_CORE_LIST;
    size_t count = by_core ? r->node.cores : r->node.domains;
    const char *of = by_core ? "core" : "domain";
    size_t items, filled = 0;
    int err = yaml_text_sequence(&r->yaml, node, &items);
    for (size_t i = 0; i < items && !err; i++) {
        struct item item;
        const yaml_node_t *at = yaml_text_item(&r->yaml, node, i);
        err = item_read(&r->yaml, at, field, &item);
        if (!err && item.count > count - filled)
            return yaml_text_fail(&r->yaml, at, "%s has more than %zu entries, give one a %s", field->name, count, of);
        for (uint64_t k = 0; k < item.count && !err; k++)
            number_put(field, array, filled++, item.value + k * (unsigned)item.step);
    }
    if (!err && filled < count)
        return yaml_text_fail(&r->yaml, node, "%s has %zu of %zu entries, give one a %s", field->name, filled, count, of);
    return err;
}

static int row_read(struct node_reader *r, const struct node_field *field, const yaml_node_t *row, size_t n, double *out)
{
    size_t items;
    int err = yaml_text_sequence(&r->yaml, row, &items);
    if (!err && items != n)
        return yaml_text_fail(&r->yaml, row, "a row of %zu numbers in %s, give %zu", items, field->name, n);
    for (size_t j = 0; j < n && !err; j++) {
        const yaml_node_t *item = yaml_text_item(&r->yaml, row, j);
        if (field->kind == FIELD_PAIRS && yaml_text_is_null(item))
            out[j] = NAN;
        else
            err = yaml_text_number(&r->yaml, item, field->min, field->max, &out[j]);
    }
    return err;
}

static int matrix_read(struct node_reader *r, const struct node_field *field, const yaml_node_t *node, size_t n, double *out)
{
    size_t rows;
    int err = yaml_text_sequence(&r->yaml, node, &rows);
    if (!err && rows != n)
        return yaml_text_fail(&r->yaml, node, "%s has %zu rows, give %zu", field->name, rows, n);
    for (size_t i = 0; i < n && !err; i++)
        err = row_read(r, field, yaml_text_item(&r->yaml, node, i), n, out + i * n);
    return err;
}

int node_reader_distance(struct node_reader *r, const struct node_field *field, const yaml_node_t *node)
{
    return matrix_read(r, field, node, r->node.domains, r->node.distance);
}

/* The matrix is allocated only once the file has shown as many rows, so that a short file cannot ask for much. */
int node_reader_pairs(struct node_reader *r, const struct node_field *field, const yaml_node_t *node)
{
    size_t rows, n = r->node.cores;
    if (yaml_text_is_null(node))
        return 0;
    int err = yaml_text_sequence(&r->yaml, node, &rows);
    if (!err && rows == n) {
        r->node.pair_handover_ns = calloc(n * n, sizeof *r->node.pair_handover_ns);
        if (!r->node.pair_handover_ns)
            return -ENOMEM;
    }
    return err ? err : matrix_read(r, field, node, n, r->node.pair_handover_ns);
}
