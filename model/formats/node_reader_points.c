#include "model/formats/node_hwloc.h"
#include "model/formats/node_reader.h"
#include "model/formats/quantity_yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COPY_POINTS_MAX = 1 << 16, BANDWIDTH_POINTS_MAX = NODE_CORES_MAX };

static void copy_names(const char *names[COPY_CLASS_COUNT])
{
    for (int c = 0; c < COPY_CLASS_COUNT; c++)
        names[c] = copy_class_name((enum copy_class)c);
}

struct element_reading {
    struct node_reader *reader;
    const struct node_field *field;
    void *element;
    unsigned seen;
};

static int copy_take(void *context, size_t key, const yaml_node_t *value)
{
    struct element_reading *e = context;
    return quantity_yaml_read_group(&e->reader->yaml, e->field, value, copy_cost_keys, COPY_KEY_COUNT,
                                    &e->reader->node.copy[key]);
}

int node_reader_copy(struct node_reader *r, const struct node_field *field, const yaml_node_t *node)
{
    const char *names[COPY_CLASS_COUNT];
    struct element_reading e = {r, field, NULL, 0};
    copy_names(names);
    return yaml_text_mapping(&r->yaml, node, names, COPY_CLASS_COUNT, copy_take, &e);
}

static int class_read(const struct yaml_text *yaml, const yaml_node_t *node, enum copy_class *out)
{
    char text[32] = "";
    int err = yaml_text_string(yaml, node, text, sizeof text);
    for (int c = 0; c < COPY_CLASS_COUNT && !err; c++)
        if (!strcmp(text, copy_class_name((enum copy_class)c))) {
            *out = (enum copy_class)c;
            return 0;
        }
    return err ? err
               : yaml_text_fail(yaml, node, "unknown copy class %s, use in_cold, in_warm, out_cold, out_warm or plain_cold",
                                text);
}

enum { POINT_KEY_COUNT = 6, POINT_KEY_REQUIRED = 4 };
static const char *const point_keys[POINT_KEY_COUNT] = {"class",  "fragment_bytes", "queue_bytes",
                                                        "time_s", "message_bytes",  "beside_s"};

static int point_take(void *context, size_t key, const yaml_node_t *value)
{
    struct element_reading *e = context;
    const struct yaml_text *yaml = &e->reader->yaml;
    struct copy_point *point = e->element;
    e->seen |= 1u << key;
    switch (key) {
    case 0:
        return class_read(yaml, value, &point->copy_class);
    case 1:
        return yaml_text_whole(yaml, value, 1, 1ull << 50, 1, &point->fragment_bytes);
    case 2:
        return yaml_text_whole(yaml, value, 0, 1ull << 50, 1, &point->queue_bytes);
    case 3:
        return quantity_yaml_read(yaml, e->field, value, &point->time_s);
    case 4:
        return yaml_text_whole(yaml, value, 0, 1ull << 50, 1, &point->message_bytes);
    default:
        return quantity_yaml_read(yaml, e->field, value, &point->beside_s);
    }
}

static int bandwidth_take(void *context, size_t key, const yaml_node_t *value)
{
    struct element_reading *e = context;
    struct bandwidth_point *point = e->element;
    uint64_t cores = 0;
    e->seen |= 1u << key;
    if (key == 1)
        return quantity_yaml_read(&e->reader->yaml, e->field, value, &point->bytes_per_s);
    int err = yaml_text_whole(&e->reader->yaml, value, 1, NODE_CORES_MAX, 0, &cores);
    point->cores = (uint32_t)cores;
    return err;
}

/* One element of a list of mappings, whose first `required` keys must be there. */
static int element_read(struct element_reading *e, const yaml_node_t *node, const char *const *names, size_t count,
                        size_t required, yaml_text_take *take)
{
    e->seen = 0;
    int err = yaml_text_mapping(&e->reader->yaml, node, names, count, take, e);
    for (size_t key = 0; key < required && !err; key++)
        if (!(e->seen >> key & 1))
            err = yaml_text_fail(&e->reader->yaml, node, "an entry of %s without %s, add it", e->field->name, names[key]);
    return err;
}

int node_reader_copy_points(struct node_reader *r, const struct node_field *field, const yaml_node_t *node)
{
    size_t count;
    int err = yaml_text_sequence(&r->yaml, node, &count);
    if (!err && count > COPY_POINTS_MAX)
        return yaml_text_fail(&r->yaml, node, "%zu points, give at most %d", count, COPY_POINTS_MAX);
    if (err || !count)
        return err;
    r->node.copy_points = calloc(count, sizeof *r->node.copy_points);
    if (!r->node.copy_points)
        return -ENOMEM;
    r->node.copy_point_count = count;
    for (size_t i = 0; i < count && !err; i++) {
        struct element_reading e = {r, field, &r->node.copy_points[i], 0};
        r->node.copy_points[i].beside_s = quantity_unknown();
        err = element_read(&e, yaml_text_item(&r->yaml, node, i), point_keys, POINT_KEY_COUNT, POINT_KEY_REQUIRED, point_take);
    }
    return err;
}

int node_reader_bandwidth(struct node_reader *r, const struct node_field *field, const yaml_node_t *node)
{
    static const char *const names[] = {"cores", "bytes_per_s"};
    size_t count;
    int err = yaml_text_sequence(&r->yaml, node, &count);
    if (!err && count > BANDWIDTH_POINTS_MAX)
        return yaml_text_fail(&r->yaml, node, "%zu points, give at most %d", count, BANDWIDTH_POINTS_MAX);
    if (err || !count)
        return err;
    r->node.bandwidth = calloc(count, sizeof *r->node.bandwidth);
    if (!r->node.bandwidth)
        return -ENOMEM;
    r->node.bandwidth_count = count;
    for (size_t i = 0; i < count && !err; i++) {
        struct bandwidth_point *point = &r->node.bandwidth[i];
        struct element_reading e = {r, field, point, 0};
        const yaml_node_t *at = yaml_text_item(&r->yaml, node, i);
        err = element_read(&e, at, names, 2, 2, bandwidth_take);
        if (!err && i > 0 && point->cores <= point[-1].cores)
            err = yaml_text_fail(&r->yaml, at, "%u cores after %u, order the points by rising cores", point->cores,
                                 point[-1].cores);
    }
    return err;
}
