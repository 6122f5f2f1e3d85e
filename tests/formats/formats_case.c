#include "formats_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_double_equal(const char *what, double a, double b)
{
    if (!(a == b || (isnan(a) && isnan(b))))
        fail_msg("%s differs: %.17g and %.17g", what, a, b);
}

static void assert_quantity_equal(const char *what, const struct quantity *a, const struct quantity *b)
{
    assert_double_equal(what, a->value, b->value);
    assert_double_equal(what, a->low, b->low);
    assert_double_equal(what, a->high, b->high);
    if (strcmp(a->source, b->source))
        fail_msg("%s: sources '%s' and '%s'", what, a->source, b->source);
}

static void assert_doubles_equal(const char *what, const double *a, const double *b, size_t count)
{
    if (!a != !b)
        fail_msg("%s is in one only", what);
    for (size_t i = 0; a && i < count; i++)
        assert_double_equal(what, a[i], b[i]);
}

static void assert_shape_equal(const struct node *a, const struct node *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->description, b->description);
    assert_int_equal(a->domains, b->domains);
    assert_int_equal(a->sockets, b->sockets);
    assert_int_equal(a->cores, b->cores);
    assert_memory_equal(a->core_domain, b->core_domain, a->cores * sizeof *a->core_domain);
    assert_memory_equal(a->core_socket, b->core_socket, a->cores * sizeof *a->core_socket);
    assert_memory_equal(a->core_cache, b->core_cache, a->cores * sizeof *a->core_cache);
    assert_memory_equal(a->core_os, b->core_os, a->cores * sizeof *a->core_os);
    assert_memory_equal(a->domain_os, b->domain_os, a->domains * sizeof *a->domain_os);
    assert_memory_equal(a->domain_memory_bytes, b->domain_memory_bytes, a->domains * sizeof *a->domain_memory_bytes);
    assert_doubles_equal("distance", a->distance, b->distance, (size_t)a->domains * a->domains);
    assert_int_equal(a->line_bytes, b->line_bytes);
    assert_int_equal(a->page_bytes, b->page_bytes);
    assert_int_equal(a->l1_bytes, b->l1_bytes);
    assert_int_equal(a->l2_bytes, b->l2_bytes);
    assert_int_equal(a->llc_bytes, b->llc_bytes);
    assert_int_equal(a->contention_free, b->contention_free);
}

static void assert_curves_equal(const struct node *a, const struct node *b)
{
    assert_int_equal(a->copy_point_count, b->copy_point_count);
    for (size_t i = 0; i < a->copy_point_count; i++) {
        const struct copy_point *p = &a->copy_points[i], *q = &b->copy_points[i];
        assert_int_equal(p->copy_class, q->copy_class);
        assert_int_equal(p->fragment_bytes, q->fragment_bytes);
        assert_int_equal(p->queue_bytes, q->queue_bytes);
        assert_int_equal(p->message_bytes, q->message_bytes);
        assert_quantity_equal("copy_points.time_s", &p->time_s, &q->time_s);
        assert_quantity_equal("copy_points.beside_s", &p->beside_s, &q->beside_s);
    }
    assert_int_equal(a->bandwidth_count, b->bandwidth_count);
    for (size_t i = 0; i < a->bandwidth_count; i++) {
        assert_int_equal(a->bandwidth[i].cores, b->bandwidth[i].cores);
        assert_quantity_equal("bandwidth", &a->bandwidth[i].bytes_per_s, &b->bandwidth[i].bytes_per_s);
    }
}

void assert_node_equal(const struct node *a, const struct node *b)
{
    assert_shape_equal(a, b);
    assert_quantity_equal("paper.t", &a->paper.t_s_per_byte, &b->paper.t_s_per_byte);
    assert_quantity_equal("paper.t_w", &a->paper.t_w_s, &b->paper.t_w_s);
    assert_quantity_equal("paper.t_wo", &a->paper.t_wo_s, &b->paper.t_wo_s);
    assert_quantity_equal("paper.t_a", &a->paper.t_a_s, &b->paper.t_a_s);
    for (int c = 0; c < HANDOVER_CLASS_COUNT; c++)
        assert_quantity_equal(handover_class_name((enum handover_class)c), &a->handover_ns[c], &b->handover_ns[c]);
    for (int c = 0; c < COPY_CLASS_COUNT; c++) {
        assert_quantity_equal(copy_class_name((enum copy_class)c), &a->copy[c].start_ns, &b->copy[c].start_ns);
        assert_quantity_equal(copy_class_name((enum copy_class)c), &a->copy[c].s_per_byte, &b->copy[c].s_per_byte);
    }
    assert_doubles_equal("pair_handover_ns", a->pair_handover_ns, b->pair_handover_ns, (size_t)a->cores * a->cores);
    assert_quantity_equal("fetch_ns", &a->fetch_ns, &b->fetch_ns);
    assert_quantity_equal("store_ns", &a->store_ns, &b->store_ns);
    assert_quantity_equal("atomic_ns", &a->atomic_ns, &b->atomic_ns);
    assert_quantity_equal("packet_ns", &a->packet_ns, &b->packet_ns);
    assert_quantity_equal("cold_ns", &a->cold_ns, &b->cold_ns);
    assert_quantity_equal("step_ns", &a->step_ns, &b->step_ns);
    assert_quantity_equal("call_ns", &a->call_ns, &b->call_ns);
    assert_quantity_equal("peer_call_ns", &a->peer_call_ns, &b->peer_call_ns);
    assert_quantity_equal("peer_page_ns", &a->peer_page_ns, &b->peer_page_ns);
    assert_quantity_equal("serve_ns", &a->serve_ns, &b->serve_ns);
    assert_quantity_equal("detour", &a->detour, &b->detour);
    assert_quantity_equal("fresh_s_per_byte", &a->fresh_s_per_byte, &b->fresh_s_per_byte);
    assert_quantity_equal("slice_s_per_byte", &a->slice_s_per_byte, &b->slice_s_per_byte);
    assert_quantity_equal("contested_s_per_byte", &a->contested_s_per_byte, &b->contested_s_per_byte);
    assert_quantity_equal("lone_slowdown", &a->lone_slowdown, &b->lone_slowdown);
    assert_quantity_equal("overlap_slowdown", &a->overlap_slowdown, &b->overlap_slowdown);
    assert_quantity_equal("remote_ratio", &a->remote_ratio, &b->remote_ratio);
    assert_quantity_equal("link_bytes_per_s", &a->link_bytes_per_s, &b->link_bytes_per_s);
    assert_curves_equal(a, b);
}

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t draw_below(uint64_t *state, uint64_t bound)
{
    return draw(state) % bound;
}

static double draw_real(uint64_t *state)
{
    return (double)(draw(state) >> 11) * 0x1p-53;
}

/* Known with and without interval, unknown, and unknown with a reason; sources that need escaping. */
static struct quantity draw_quantity(uint64_t *state, double scale)
{
    static const char *const sources[] = {"measured",       "",          "a \"quoted\" one", "back\\slash: #1, [x] {y}",
                                          "tab\tand\nline", "µs, naïve", "node file",        "null"};
    const char *source = sources[draw_below(state, 8)];
    double value = draw_real(state) * scale, width = draw_real(state);
    switch (draw_below(state, 5)) {
    case 0:
        return quantity_unknown();
    case 1:
        return quantity_of(NAN, source);
    case 2:
        return quantity_of(value, source);
    default:
        return quantity_within(value, value * (1 - width / 2), fmin(value * (1 + width), scale), source);
    }
}

static void random_shape(uint64_t *state, struct node *node)
{
    uint32_t shuffle = (uint32_t)draw_below(state, 1000);
    node->sockets = 1 + (uint32_t)draw_below(state, node->domains);
    for (uint32_t i = 0; i < node->cores; i++) {
        node->core_domain[i] = i % node->domains;
        node->core_socket[i] = i % node->sockets;
        node->core_cache[i] = (uint32_t)draw_below(state, node->cores);
        node->core_os[i] = (i * 7919 + shuffle) % 65537; /* 65537 is prime: no number comes twice */
    }
    for (uint32_t d = 0; d < node->domains; d++) {
        node->domain_os[d] = 3 * d + shuffle;
        node->domain_memory_bytes[d] = draw_below(state, 1ull << 40);
        for (uint32_t e = 0; e < node->domains; e++)
            node->distance[d * node->domains + e] = d == e ? 10 : 11 + (double)draw_below(state, 90);
    }
    node->line_bytes = 64u << draw_below(state, 2);
    node->page_bytes = 4096u << draw_below(state, 5);
    node->l1_bytes = draw_below(state, 1 << 20);
    node->l2_bytes = draw_below(state, 1 << 22);
    node->llc_bytes = draw_below(state, 1ull << 33);
}

static void random_costs(uint64_t *state, struct node *node)
{
    for (int c = 0; c < HANDOVER_CLASS_COUNT; c++)
        node->handover_ns[c] = draw_quantity(state, 300);
    for (int c = 0; c < COPY_CLASS_COUNT; c++)
        node->copy[c] = (struct copy_cost){draw_quantity(state, 100), draw_quantity(state, 1e-9)};
    node->fetch_ns = draw_quantity(state, 40);
    node->store_ns = draw_quantity(state, 40);
    node->atomic_ns = draw_quantity(state, 20);
    node->packet_ns = draw_quantity(state, 60);
    node->cold_ns = draw_quantity(state, 200);
    node->step_ns = draw_quantity(state, 5);
    node->call_ns = draw_quantity(state, 100);
    node->peer_call_ns = draw_quantity(state, 1000);
    node->peer_page_ns = draw_quantity(state, 500);
    node->serve_ns = draw_quantity(state, 3);
    node->detour = draw_quantity(state, 3);
    node->fresh_s_per_byte = draw_quantity(state, 3);
    node->slice_s_per_byte = draw_quantity(state, 3);
    node->contested_s_per_byte = draw_quantity(state, 3);
    node->lone_slowdown = draw_quantity(state, 3);
    node->overlap_slowdown = draw_quantity(state, 3);
    node->remote_ratio = quantity_within(0.5, 0.31, 1, "assumed");
    node->link_bytes_per_s = quantity_of(1 + draw_real(state) * 4e10, "measured");
    node->paper = (struct paper_costs){draw_quantity(state, 1e-9), draw_quantity(state, 1e-7), draw_quantity(state, 1e-7),
                                       draw_quantity(state, 1e-8)};
}

static void random_curves(uint64_t *state, struct node *node)
{
    node->copy_point_count = draw_below(state, 40);
    node->bandwidth_count = draw_below(state, 6);
    if (node->copy_point_count)
        node->copy_points = calloc(node->copy_point_count, sizeof *node->copy_points);
    if (node->bandwidth_count)
        node->bandwidth = calloc(node->bandwidth_count, sizeof *node->bandwidth);
    for (size_t i = 0; i < node->copy_point_count; i++)
        node->copy_points[i] = (struct copy_point){.copy_class = (enum copy_class)draw_below(state, COPY_CLASS_COUNT),
                                                   .fragment_bytes = 1 + draw_below(state, 1 << 20),
                                                   .queue_bytes = draw_below(state, 1ull << 30),
                                                   .message_bytes = draw_below(state, 2) * draw_below(state, 1ull << 30),
                                                   .time_s = draw_quantity(state, 1e-3),
                                                   .beside_s = draw_quantity(state, 1e-3)};
    for (size_t i = 0; i < node->bandwidth_count; i++)
        node->bandwidth[i] = (struct bandwidth_point){1 + 3 * (uint32_t)i, draw_quantity(state, 1e11)};
    if (draw_below(state, 2)) {
        size_t pairs = (size_t)node->cores * node->cores;
        node->pair_handover_ns = calloc(pairs, sizeof *node->pair_handover_ns);
        for (size_t i = 0; i < pairs; i++)
            node->pair_handover_ns[i] = draw_below(state, 4) ? draw_real(state) * 300 : NAN;
    }
}

void random_node(uint64_t seed, struct node *out)
{
    uint64_t state = seed;
    uint32_t domains = 1 + (uint32_t)draw_below(&state, 8);
    assert_int_equal(node_create(out, domains, domains + (uint32_t)draw_below(&state, 60)), 0);
    snprintf(out->name, sizeof out->name, "random %llu", (unsigned long long)seed);
    snprintf(out->description, sizeof out->description, "- not a list: \"made\" up # by a test");
    random_shape(&state, out);
    random_costs(&state, out);
    random_curves(&state, out);
}

const char *data_path(const char *name)
{
    static char path[4096];
    const char *folder = getenv("SHMCOLL_DATA");
    snprintf(path, sizeof path, "%s/%s", folder && *folder ? folder : "../shared/data", name);
    return access(path, R_OK) ? NULL : path;
}
