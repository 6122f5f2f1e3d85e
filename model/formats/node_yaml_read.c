#include "model/formats/node_hwloc.h"
#include "model/formats/node_reader.h"
#include "model/formats/node_yaml.h"
#include "model/formats/quantity_yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *field_at(struct node_reader *r, const struct node_field *field)
{
    return (char *)&r->node + field->offset;
}

static int whole_read(struct node_reader *r, const struct node_field *field, const yaml_node_t *node)
{
    uint64_t value;
    int err = yaml_text_whole(&r->yaml, node, (uint64_t)field->min, (uint64_t)field->max, field->kind != FIELD_COUNT, &value);
    if (!err && field->kind == FIELD_BYTES64)
        *(uint64_t *)field_at(r, field) = value;
    else if (!err && field->kind != FIELD_VERSION)
        *(uint32_t *)field_at(r, field) = (uint32_t)value;
    return err;
}

static int group_read(struct node_reader *r, const struct node_field *field, const yaml_node_t *node)
{
    struct quantity_key keys[QUANTITY_GROUP_MAX];
    size_t count = node_field_group(field, keys);
    return quantity_yaml_read_group(&r->yaml, field, node, keys, count, &r->node);
}

static int field_take(void *context, size_t key, const yaml_node_t *node)
{
    struct node_reader *r = context;
    const struct node_field *field = &node_fields[key];
    switch (field->kind) {
    case FIELD_COUNT: /* read before, to size the arrays */
        return 0;
    case FIELD_VERSION:
    case FIELD_BYTES32:
    case FIELD_BYTES64:
        return whole_read(r, field, node);
    case FIELD_TEXT:
        return yaml_text_string(&r->yaml, node, field_at(r, field), (size_t)field->max);
    case FIELD_FLAG:
        return yaml_text_flag(&r->yaml, node, field_at(r, field));
    case FIELD_QUANTITY:
        return quantity_yaml_read(&r->yaml, field, node, field_at(r, field));
    case FIELD_QUANTITIES:
        return group_read(r, field, node);
    case FIELD_COPY:
        return node_reader_copy(r, field, node);
    case FIELD_CORE_LIST:
    case FIELD_DOMAIN_LIST:
    case FIELD_DOMAIN_BYTES:
        return node_reader_list(r, field, node);
    case FIELD_DISTANCE:
        return node_reader_distance(r, field, node);
    case FIELD_PAIRS:
        return node_reader_pairs(r, field, node);
    case FIELD_COPY_POINTS:
        return node_reader_copy_points(r, field, node);
    case FIELD_BANDWIDTH:
        return node_reader_bandwidth(r, field, node);
    }
    return 0;
}

static int fields_walk(struct node_reader *r, yaml_text_take *take)
{
    const char *names[NODE_FIELD_COUNT];
    for (size_t i = 0; i < NODE_FIELD_COUNT; i++)
        names[i] = node_fields[i].name;
    return yaml_text_mapping(&r->yaml, r->yaml.root, names, NODE_FIELD_COUNT, take, r);
}

static int ignore_take(void *context, size_t key, const yaml_node_t *node)
{
    (void)context, (void)key, (void)node;
    return 0;
}

/* For a file without cores: an unknown key in it says more than that cores is missing. */
static int names_check(struct node_reader *r)
{
    return fields_walk(r, ignore_take);
}

/* A count that sizes arrays, before them. */
static int count_read(struct node_reader *r, const char *name, uint64_t max, uint32_t otherwise, uint32_t *out)
{
    uint64_t value = otherwise;
    const yaml_node_t *node = yaml_text_find(&r->yaml, r->yaml.root, name);
    int err = node ? yaml_text_whole(&r->yaml, node, 1, max, 0, &value) : 0;
    *out = (uint32_t)value;
    return err;
}

/* Cores dealt to `groups` in order, as evenly as they go. */
static void cores_deal(uint32_t *list, uint32_t cores, uint32_t groups)
{
    for (uint32_t i = 0; i < cores; i++)
        list[i] = (uint32_t)((uint64_t)i * groups / cores);
}

static int shape_read(struct node_reader *r)
{
    uint32_t cores = 0, domains = 1, sockets = 1;
    const yaml_node_t *root = r->yaml.root;
    if (root->type != YAML_MAPPING_NODE)
        return yaml_text_fail(&r->yaml, root, "not a node file, start it with 'cores: N'");
    int err = count_read(r, "cores", NODE_CORES_MAX, 0, &cores);
    err = err ? err : count_read(r, "domains", NODE_DOMAINS_MAX, 1, &domains);
    err = err ? err : count_read(r, "sockets", NODE_CORES_MAX, domains, &sockets);
    if (!err && !cores)
        err = names_check(r);
    if (!err && (!cores || domains > cores || sockets > cores))
        err = yaml_text_fail(&r->yaml, root, "%u cores for %u domains and %u sockets, give 'cores: N' with at least one each",
                             cores, domains, sockets);
    if (!err)
        err = node_create(&r->node, domains, cores);
    if (err)
        return err;
    r->node.sockets = sockets;
    cores_deal(r->node.core_domain, cores, domains);
    cores_deal(r->node.core_socket, cores, sockets);
    return 0;
}

/* Where to point at when a list makes no sense: the list, or the file if it was left out. */
static const yaml_node_t *list_node(const struct node_reader *r, const char *name)
{
    const yaml_node_t *node = yaml_text_find(&r->yaml, r->yaml.root, name);
    return node ? node : r->yaml.root;
}

/* Every number below `groups`, and each of them given to a core. */
static int groups_check(const struct node_reader *r, const char *name, const uint32_t *list, uint32_t groups)
{
    const yaml_node_t *at = list_node(r, name);
    unsigned char *used = calloc(groups, 1);
    int err = used ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < r->node.cores && !err; i++) {
        if (list[i] >= groups)
            err = yaml_text_fail(&r->yaml, at, "%s puts core %u into %u, but there are only %u; count from 0", name, i, list[i],
                                 groups);
        else
            used[list[i]] = 1;
    }
    for (uint32_t g = 0; g < groups && !err; g++)
        if (!used[g])
            err = yaml_text_fail(&r->yaml, at, "%s gives no core to %u, lower the count or give it one", name, g);
    free(used);
    return err;
}

static int number_compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* No number of the operating system twice. */
static int distinct_check(const struct node_reader *r, const char *name, const uint32_t *list, uint32_t count)
{
    uint32_t *sorted = malloc(count * sizeof *sorted);
    int err = sorted ? 0 : -ENOMEM;
    if (!err) {
        memcpy(sorted, list, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, number_compare);
    }
    for (uint32_t i = 1; i < count && !err; i++)
        if (sorted[i] == sorted[i - 1])
            err = yaml_text_fail(&r->yaml, list_node(r, name), "%s has %u twice, give each its own", name, sorted[i]);
    free(sorted);
    return err;
}

static int node_check(const struct node_reader *r)
{
    const struct node *node = &r->node;
    int err = groups_check(r, "core_domain", node->core_domain, node->domains);
    err = err ? err : groups_check(r, "core_socket", node->core_socket, node->sockets);
    err = err ? err : distinct_check(r, "core_os", node->core_os, node->cores);
    err = err ? err : distinct_check(r, "domain_os", node->domain_os, node->domains);
    const struct paper_costs *p = &node->paper;
    int costs =
        quantity_known(&p->t_s_per_byte) && quantity_known(&p->t_w_s) && quantity_known(&p->t_wo_s) && quantity_known(&p->t_a_s);
    if (!err && node->contention_free && !costs)
        err = yaml_text_fail(&r->yaml, list_node(r, "contention_free"), "contention_free without the four costs, add 'paper:'");
    return err;
}

int node_yaml_parse(const char *path, const char *text, size_t bytes, struct node *out, char *reason, size_t reason_bytes)
{
    struct node_reader r = {0};
    int err = yaml_text_open(path, text, bytes, reason, reason_bytes, &r.yaml);
    if (err)
        return err;
    if (reason_bytes)
        *reason = 0;
    err = shape_read(&r);
    if (!err)
        err = fields_walk(&r, field_take);
    if (!err && !yaml_text_find(&r.yaml, r.yaml.root, "core_cache"))
        memcpy(r.node.core_cache, r.node.core_socket, r.node.cores * sizeof *r.node.core_cache);
    if (!err)
        err = node_check(&r);
    if (err == -ENOMEM)
        snprintf(reason, reason_bytes, "%s: out of memory", path);
    yaml_text_close(&r.yaml);
    if (err)
        node_destroy(&r.node);
    else
        *out = r.node;
    return err;
}
