#include "model/node.h"

#include <math.h>

/* The axes of the table of measured copies, outermost first. */
enum axis { AXIS_MESSAGE, AXIS_QUEUE, AXIS_FRAGMENT, AXIS_COUNT };

struct lookup {
    const struct node *node;
    enum copy_class copy_class;
    int beside;
    uint64_t at[AXIS_COUNT];    /* where a value is wanted */
    uint64_t fixed[AXIS_COUNT]; /* the coordinates settled so far */
};

static uint64_t coordinate(const struct copy_point *p, int axis)
{
    return axis == AXIS_MESSAGE ? p->message_bytes : axis == AXIS_QUEUE ? p->queue_bytes : p->fragment_bytes;
}

static double point_time_s(const struct lookup *l, const struct copy_point *p)
{
    if (!l->beside)
        return p->time_s.value;
    return quantity_or(&p->beside_s, p->time_s.value * quantity_or(&l->node->overlap_slowdown, 1));
}

/* Whether the point is of the class, known, and on the coordinates fixed above `axis`. */
static int point_matches(const struct lookup *l, const struct copy_point *p, int axis)
{
    if (p->copy_class != l->copy_class || p->fragment_bytes == 0 || !quantity_known(&p->time_s))
        return 0;
    for (int a = 0; a < axis; a++)
        if (coordinate(p, a) != l->fixed[a])
            return 0;
    return 1;
}

/* The measured coordinates next below and next above the wanted one; both the outermost beyond the ends. */
static int neighbours(const struct lookup *l, int axis, uint64_t *below, uint64_t *above)
{
    int any_below = 0, any_above = 0;
    for (size_t i = 0; i < l->node->copy_point_count; i++) {
        const struct copy_point *p = &l->node->copy_points[i];
        if (!point_matches(l, p, axis))
            continue;
        uint64_t x = coordinate(p, axis);
        if (x <= l->at[axis] && (!any_below || x > *below)) {
            *below = x;
            any_below = 1;
        }
        if (x >= l->at[axis] && (!any_above || x < *above)) {
            *above = x;
            any_above = 1;
        }
    }
    if (!any_below)
        *below = *above;
    if (!any_above)
        *above = *below;
    return any_below || any_above;
}

/* Seconds per byte at the settled coordinates. Below the smallest fragment, time falls linearly to the start cost. */
static double settled_rate(const struct lookup *l)
{
    for (size_t i = 0; i < l->node->copy_point_count; i++) {
        const struct copy_point *p = &l->node->copy_points[i];
        if (!point_matches(l, p, AXIS_COUNT))
            continue;
        double time_s = point_time_s(l, p), bytes = (double)l->at[AXIS_FRAGMENT];
        if (p->fragment_bytes <= l->at[AXIS_FRAGMENT] || bytes == 0)
            return time_s / (double)p->fragment_bytes;
        double start_s = fmin(quantity_or(&l->node->copy[l->copy_class].start_ns, 0) * 1e-9, time_s);
        return (start_s + (time_s - start_s) * bytes / (double)p->fragment_bytes) / bytes;
    }
    return NAN;
}

/* Seconds per byte, interpolated along `axis` and the axes inside it, each on a logarithmic scale. */
static double rate_along(struct lookup *l, int axis)
{
    if (axis == AXIS_COUNT)
        return settled_rate(l);
    uint64_t below = 0, above = 0;
    if (!neighbours(l, axis, &below, &above))
        return NAN;
    l->fixed[axis] = below;
    if (below == above || below == 0) /* "any" has no place on a logarithmic scale */
        return rate_along(l, axis + 1);
    uint64_t at = l->at[axis];
    /* Between two measured fragments the rates are those at these fragments, not at the wanted one. */
    if (axis == AXIS_FRAGMENT)
        l->at[axis] = below;
    double rate_below = rate_along(l, axis + 1);
    l->fixed[axis] = above;
    if (axis == AXIS_FRAGMENT)
        l->at[axis] = above;
    double rate_above = rate_along(l, axis + 1);
    l->at[axis] = at;
    return rate_below + (rate_above - rate_below) * log2((double)at / (double)below) / log2((double)above / (double)below);
}

static double stream_time_s(const struct node *node, const struct copy_context *copy, int beside)
{
    struct lookup l = {.node = node, .copy_class = copy->copy_class, .beside = beside};
    l.at[AXIS_MESSAGE] = copy->message_bytes ? copy->message_bytes : UINT64_MAX;
    l.at[AXIS_QUEUE] = copy->queue_bytes;
    l.at[AXIS_FRAGMENT] = copy->bytes;
    double rate = rate_along(&l, AXIS_MESSAGE);
    if (!isnan(rate))
        return rate * (double)copy->bytes;
    const struct copy_cost *line = &node->copy[copy->copy_class];
    if (quantity_known(&line->s_per_byte))
        return (quantity_or(&line->start_ns, 0) * 1e-9 + (double)copy->bytes * line->s_per_byte.value) *
               (beside ? quantity_or(&node->overlap_slowdown, 1) : 1);
    return node->contention_free ? (double)copy->bytes * node->paper.t_s_per_byte.value : NAN;
}

/* Rates are of copies that follow one another; the first lines of a message have nothing ahead of them that would fetch them.
 * What is written cold waits in the store buffer. */
static double copy_time_s(const struct node *node, const struct copy_context *copy, int beside)
{
    double time_s = stream_time_s(node, copy, beside);
    int cold = copy->copy_class == COPY_IN_COLD || copy->copy_class == COPY_PLAIN_COLD;
    if (!cold || copy->message_bytes == 0 || copy->bytes == 0 || isnan(time_s))
        return time_s;
    double share = fmin(1, (double)copy->bytes / (double)copy->message_bytes);
    return fmax(time_s, share * quantity_or(&node->cold_ns, 0) * 1e-9);
}

double node_copy_alone_s(const struct node *node, const struct copy_context *copy)
{
    return copy_time_s(node, copy, 0);
}

double node_copy_beside_s(const struct node *node, const struct copy_context *copy)
{
    return copy_time_s(node, copy, 1);
}

double node_copy_s(const struct node *node, enum copy_class copy_class, uint64_t bytes, uint64_t queue_bytes)
{
    return node_copy_alone_s(node, &(struct copy_context){.copy_class = copy_class, .bytes = bytes, .queue_bytes = queue_bytes});
}

double node_peer_extra_s(const struct node *node, uint64_t bytes)
{
    uint64_t pages = (bytes + node->page_bytes - 1) / node->page_bytes;
    return (quantity_or(&node->peer_call_ns, 0) + (double)pages * quantity_or(&node->peer_page_ns, 0)) * 1e-9;
}

double node_copy_relay_s(const struct node *node, uint64_t bytes, uint64_t queue_bytes, uint64_t message_bytes)
{
    double time_s[COPY_CLASS_COUNT];
    for (int c = 0; c < COPY_CLASS_COUNT; c++)
        time_s[c] = node_copy_alone_s(node, &(struct copy_context){(enum copy_class)c, bytes, queue_bytes, message_bytes});
    double sides_s = time_s[COPY_IN_COLD] + time_s[COPY_OUT_COLD] - time_s[COPY_PLAIN_COLD];
    return fmax(sides_s, fmax(time_s[COPY_IN_WARM], time_s[COPY_OUT_WARM])); /* fmax drops what is unknown */
}
