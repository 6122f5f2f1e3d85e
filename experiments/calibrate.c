#include "experiments/calibrate.h"

#include "experiments/calibrate_from.h"
#include "experiments/command.h"
#include "experiments/options.h"
#include "experiments/statistics.h"
#include "kernels/copy.h"
#include "model/formats/node_load.h"
#include "model/formats/node_yaml.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CORES_MAX = 64, LONG_BYTES = 16 << 20 };

static const uint64_t messages[] = {4 << 10, 16 << 10, 64 << 10, 1 << 20, 16 << 20};
static const uint64_t queues[] = {64 << 10, 256 << 10, 1 << 20, 4 << 20};
static const uint64_t fragments[] = {256, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static int add_queue(struct calibrate_plan *plan, enum probe_buffers buffers, uint64_t message, uint64_t queue, uint64_t fragment)
{
    int err = 0;
    for (int beside = 0; beside < 2 && !err; beside++) {
        struct probe_queue q = {message, fragment, queue, buffers, beside};
        err = calibrate_plan_add(plan, (struct calibrate_probe){.kind = CALIBRATE_QUEUE, .queue = q});
    }
    return err;
}

/* The grid of copies: no fragment larger than its message or queue; small ones only where a broadcast would use them. */
static int plan_copies(struct calibrate_plan *plan)
{
    int err = 0;
    for (int buffers = PROBE_COLD; buffers <= PROBE_WARM; buffers++)
        for (size_t m = 0; m < COUNT(messages); m++)
            for (size_t b = 0; b < COUNT(queues); b++)
                for (size_t f = 0; f < COUNT(fragments) && !err; f++) {
                    int fits = fragments[f] <= messages[m] && fragments[f] <= queues[b];
                    int small = fragments[f] < 4096 && messages[m] > (64 << 10);
                    int unused = b > 0 && queues[b - 1] >= messages[m]; /* a message uses no more of a queue than its own size */
                    int spilled = buffers == PROBE_WARM && messages[m] > (1 << 20); /* not warm in any cache */
                    if (fits && !small && !unused && !spilled)
                        err = add_queue(plan, (enum probe_buffers)buffers, messages[m], queues[b], fragments[f]);
                }
    return err;
}

static int plan_pair(struct calibrate_plan *plan)
{
    int err = calibrate_plan_add(plan, (struct calibrate_probe){.kind = CALIBRATE_HANDOVER, .lines = 1});
    if (!err)
        err = calibrate_plan_add(plan, (struct calibrate_probe){.kind = CALIBRATE_HANDOVER, .lines = 8});
    if (!err)
        err = calibrate_plan_add(plan, (struct calibrate_probe){.kind = CALIBRATE_ATOMIC, .remote = 0});
    if (!err)
        err = calibrate_plan_add(plan, (struct calibrate_probe){.kind = CALIBRATE_ATOMIC, .remote = 1});
    if (!err)
        err = calibrate_plan_add(plan, (struct calibrate_probe){.kind = CALIBRATE_DEADLINE});
    if (!err)
        err = calibrate_plan_add(plan, (struct calibrate_probe){.kind = CALIBRATE_PACKET});
    if (!err)
        err = calibrate_plan_add(plan,
                                 (struct calibrate_probe){.kind = CALIBRATE_COLD, .routine = COPY_MEMCPY, .message_bytes = 8});
    return err;
}

static int plan_plain(struct calibrate_plan *plan, enum calibrate_kind kind, uint64_t message_bytes)
{
    int err = 0;
    for (int routine = 0; routine < COPY_ROUTINE_COUNT && !err; routine++)
        if (copy_routine_available((enum copy_routine)routine))
            err = calibrate_plan_add(plan,
                                     (struct calibrate_probe){.kind = kind, .routine = routine, .message_bytes = message_bytes});
    return err;
}

/* Plain copies of every length, and the kernel's between processes at both ends of what it is asked for at once. */
static int plan_peers(struct calibrate_plan *plan)
{
    int err = 0;
    for (size_t m = 0; m < COUNT(messages) && !err; m++)
        err = plan_plain(plan, CALIBRATE_PLAIN, messages[m]);
    if (!err)
        err = calibrate_plan_add(plan,
                                 (struct calibrate_probe){.kind = CALIBRATE_PEER, .message_bytes = CALIBRATE_PEER_SHORT_BYTES});
    if (!err)
        err = calibrate_plan_add(plan,
                                 (struct calibrate_probe){.kind = CALIBRATE_PEER, .message_bytes = CALIBRATE_PEER_LONG_BYTES});
    return err;
}

static struct quantity nth_of(const struct calibrate_plan *plan, enum calibrate_kind kind, size_t n)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->probes[i].kind == kind && n-- == 0)
            return calibrate_quantity(plan->probes[i].first_ns, plan->reps, 1);
    return quantity_unknown();
}

/* Two cores of each hand-over class, the first such pair; found[class] says whether there is one. */
static void pairs_find(const struct node *node, uint32_t pair[HANDOVER_CLASS_COUNT][2], int found[HANDOVER_CLASS_COUNT])
{
    memset(found, 0, HANDOVER_CLASS_COUNT * sizeof *found);
    for (uint32_t a = 0; a < node->cores; a++)
        for (uint32_t b = a + 1; b < node->cores; b++) {
            enum handover_class c = node_handover_class(node, a, b);
            if (!found[c]) {
                found[c] = 1;
                pair[c][0] = a;
                pair[c][1] = b;
            }
        }
}

/* What the nearest pair tells: copies, stores, atomics, the clock. */
static int measure_near_pair(struct node *node, const uint32_t pair[2], int verbosity, char *reason)
{
    struct calibrate_plan plan = {0};
    int err = plan_pair(&plan);
    if (!err)
        err = plan_peers(&plan);
    if (!err)
        err = plan_copies(&plan);
    if (!err)
        err = calibrate_measure(&plan, node, pair, 2, reason);
    if (!err) {
        struct quantity one = nth_of(&plan, CALIBRATE_HANDOVER, 0), eight = nth_of(&plan, CALIBRATE_HANDOVER, 1);
        struct quantity plain = calibrate_least(&plan, CALIBRATE_PLAIN, LONG_BYTES, 1e-9 / LONG_BYTES);
        talk_note(verbosity, 0, "calibrate: %u of %u rounds in one state of the host", plan.kept, plan.rounds);
        node->handover_ns[node_handover_class(node, pair[0], pair[1])] = one;
        node->store_ns = calibrate_difference(eight, one, 7);
        node->fetch_ns = calibrate_difference(nth_of(&plan, CALIBRATE_ATOMIC, 1), nth_of(&plan, CALIBRATE_ATOMIC, 0), 1);
        node->atomic_ns = nth_of(&plan, CALIBRATE_ATOMIC, 0);
        node->packet_ns = calibrate_difference(nth_of(&plan, CALIBRATE_PACKET, 0), one, 1);
        node->cold_ns = nth_of(&plan, CALIBRATE_COLD, 0);
        node->call_ns = nth_of(&plan, CALIBRATE_DEADLINE, 0);
        node->copy[COPY_PLAIN_COLD].start_ns = quantity_of(0, "measured");
        node->copy[COPY_PLAIN_COLD].s_per_byte = plain;
        calibrate_fit_peers(&plan, node);
        err = calibrate_fit_points(&plan, node);
    }
    calibrate_plan_destroy(&plan);
    return err;
}

/* The hand-over between pairs that are further apart. */
static int measure_far_pairs(struct node *node, int near, char *reason)
{
    uint32_t pair[HANDOVER_CLASS_COUNT][2];
    int found[HANDOVER_CLASS_COUNT], err = 0;
    pairs_find(node, pair, found);
    for (int c = near + 1; c < HANDOVER_CLASS_COUNT && !err; c++) {
        if (!found[c])
            continue;
        struct calibrate_plan plan = {0};
        err = calibrate_plan_add(&plan, (struct calibrate_probe){.kind = CALIBRATE_HANDOVER, .lines = 1});
        if (!err)
            err = calibrate_measure(&plan, node, pair[c], 2, reason);
        if (!err)
            node->handover_ns[c] = nth_of(&plan, CALIBRATE_HANDOVER, 0);
        calibrate_plan_destroy(&plan);
    }
    return err;
}

/* B(n) of the first domain that has cores: n = 1, 2, 4, ... and all. */
static int measure_bandwidth(struct node *node, char *reason)
{
    uint32_t cores[CORES_MAX], count = 0;
    for (uint32_t c = 0; c < node->cores && count < CORES_MAX; c++)
        if (node->core_domain[c] == node->core_domain[0])
            cores[count++] = c;
    int err = 0;
    for (uint32_t n = 1; !err; n = 2 * n < count ? 2 * n : count) {
        struct calibrate_plan plan = {.state_ns = n > 1 ? node_handover_ns(node, cores[0], cores[1]) : 0};
        struct bandwidth_point *points = realloc(node->bandwidth, (node->bandwidth_count + 1) * sizeof *points);
        if (!points)
            return -ENOMEM;
        node->bandwidth = points;
        err = plan_plain(&plan, CALIBRATE_SHARED, LONG_BYTES);
        if (!err)
            err = calibrate_measure(&plan, node, cores, n, reason);
        struct quantity time_s = calibrate_least(&plan, CALIBRATE_SHARED, LONG_BYTES, 1e-9);
        if (!err)
            node->bandwidth[node->bandwidth_count++] = (struct bandwidth_point){
                n, quantity_within(LONG_BYTES / time_s.value, LONG_BYTES / time_s.high, LONG_BYTES / time_s.low, "measured")};
        calibrate_plan_destroy(&plan);
        if (n == count)
            break;
    }
    return err;
}

/* The four parameters of the paper's form (S1 5.2), from the primitives it stands on. */
static void paper_costs_derive(struct node *node, enum handover_class near)
{
    const struct quantity *h = &node->handover_ns[near];
    const char *twice = "derived: the last reader's line to the root and the root's to the readers";
    node->paper.t_s_per_byte = node->copy[COPY_IN_COLD].s_per_byte;
    node->paper.t_w_s = quantity_within(h->value * 1e-9, h->low * 1e-9, h->high * 1e-9, "derived: one hand-over");
    node->paper.t_wo_s = quantity_within(2 * h->value * 1e-9, 2 * h->low * 1e-9, 2 * h->high * 1e-9, twice);
    node->paper.t_a_s = quantity_within((h->value + node->atomic_ns.value) * 1e-9, (h->low + node->atomic_ns.low) * 1e-9,
                                        (h->high + node->atomic_ns.high) * 1e-9, "derived: hand-over and atomic addition");
}

static void residuals_print(FILE *out, const struct calibrate_result *result)
{
    fprintf(out, "%-8s %12s %12s %12s %12s %12s %9s\n", "term", "message_B", "fragment_B", "queue_B", "measured_ns", "line_ns",
            "residual");
    for (size_t i = 0; i < result->count; i++) {
        const struct calibrate_residual *r = &result->residuals[i];
        fprintf(out, "%-8s %12llu %12llu %12llu %12.1f %12.1f %+8.1f%%\n", copy_class_name(r->copy_class),
                (unsigned long long)r->message_bytes, (unsigned long long)r->fragment_bytes, (unsigned long long)r->queue_bytes,
                r->measured_ns, r->fitted_ns, 100 * (r->measured_ns / r->fitted_ns - 1));
    }
}

static void quantity_print(FILE *out, const char *name, const struct quantity *q, const char *unit)
{
    if (quantity_known(q))
        fprintf(out, "%-28s %12.5g  [%.5g, %.5g] %s\n", name, q->value, q->low, q->high, unit);
}

static void summary_print(FILE *out, const struct node *node)
{
    char name[64];
    for (int c = 0; c < HANDOVER_CLASS_COUNT; c++) {
        snprintf(name, sizeof name, "hand-over %s", handover_class_name((enum handover_class)c));
        quantity_print(out, name, &node->handover_ns[c], "ns");
    }
    quantity_print(out, "fetch", &node->fetch_ns, "ns");
    quantity_print(out, "further store", &node->store_ns, "ns");
    quantity_print(out, "packet, both ends", &node->packet_ns, "ns");
    quantity_print(out, "atomic addition", &node->atomic_ns, "ns");
    quantity_print(out, "cold copy of a word", &node->cold_ns, "ns");
    quantity_print(out, "call (deadline to clock)", &node->call_ns, "ns");
    quantity_print(out, "kernel's copy, a call", &node->peer_call_ns, "ns");
    quantity_print(out, "kernel's copy, a page", &node->peer_page_ns, "ns");
    for (int c = 0; c < COPY_CLASS_COUNT; c++) {
        snprintf(name, sizeof name, "copy %s, start", copy_class_name((enum copy_class)c));
        quantity_print(out, name, &node->copy[c].start_ns, "ns");
        snprintf(name, sizeof name, "copy %s", copy_class_name((enum copy_class)c));
        quantity_print(out, name, &node->copy[c].s_per_byte, "s/B");
    }
    for (size_t i = 0; i < node->bandwidth_count; i++) {
        snprintf(name, sizeof name, "copy bandwidth, %u cores", node->bandwidth[i].cores);
        quantity_print(out, name, &node->bandwidth[i].bytes_per_s, "B/s");
    }
    quantity_print(out, "t", &node->paper.t_s_per_byte, "s/B");
    quantity_print(out, "t_w", &node->paper.t_w_s, "s");
    quantity_print(out, "t_wo", &node->paper.t_wo_s, "s");
    quantity_print(out, "t_A", &node->paper.t_a_s, "s");
}

static int measure_all(struct node *node, int verbosity, char *reason)
{
    uint32_t pair[HANDOVER_CLASS_COUNT][2];
    int found[HANDOVER_CLASS_COUNT];
    pairs_find(node, pair, found);
    int near = found[HANDOVER_SAME_CACHE]    ? HANDOVER_SAME_CACHE
               : found[HANDOVER_SAME_SOCKET] ? HANDOVER_SAME_SOCKET
                                             : HANDOVER_CROSS_SOCKET;
    if (!found[near]) {
        snprintf(reason, CALIBRATE_REASON_BYTES, "needs two cpus and may use one; widen the affinity mask or cpuset");
        return -ENOTSUP;
    }
    talk_note(verbosity, 0, "calibrate: hand-over and copies between two cores ...");
    int err = measure_near_pair(node, pair[near], verbosity, reason);
    if (!err)
        err = measure_far_pairs(node, near, reason);
    talk_note(verbosity, 0, "calibrate: memory bandwidth ...");
    if (!err)
        err = measure_bandwidth(node, reason);
    if (err)
        return err;
    struct calibrate_result result;
    err = calibrate_fit_lines(node, &result);
    if (err)
        return err;
    paper_costs_derive(node, (enum handover_class)near);
    if (verbosity > 0)
        residuals_print(stdout, &result);
    free(result.residuals);
    return 0;
}

/* Before all is measured: whether the file that is to be written can be. */
static int check_output(const char *path)
{
    if (!path || strcmp(path, "-") == 0)
        return 0;
    char *copy = strdup(path);
    if (!copy)
        return talk_fail(EXIT_UNABLE, "calibrate: no memory");
    int there = access(path, F_OK) == 0;
    int error = access(there ? path : dirname(copy), W_OK) ? errno : 0;
    free(copy);
    return error ? talk_fail(EXIT_FAILED, "calibrate: %s: cannot write: %s; choose another path", path, strerror(error)) : 0;
}

int command_calibrate(int argc, char **argv)
{
    struct settings settings;
    int code = options_parse(argc, argv, &settings);
    if (code >= 0)
        return code;
    char reason[CALIBRATE_REASON_BYTES] = "";
    struct node node;
    if (settings.positional_count)
        return talk_fail(EXIT_USAGE, "calibrate takes no words: '%s'; measured times are given by --from FILE",
                         settings.positional[0]);
    code = check_output(settings.output);
    if (code)
        return code;
    if (settings.from)
        return calibrate_from(&settings);
    const char *unused = settings_given_beside(&settings, "node output verbose quiet");
    if (settings.node && strcmp(settings.node, "host") != 0)
        return talk_fail(EXIT_USAGE, "calibrate: measures this host, not '%s'; drop --node, or give measured times by --from",
                         settings.node);
    if (unused)
        return talk_fail(EXIT_USAGE, "calibrate: --%s is of times that others measured: give them by --from, or leave it out",
                         unused);
    int err = node_load("host", &node, reason, sizeof reason);
    if (!err) {
        err = measure_all(&node, settings.verbosity, reason);
        if (!err) {
            summary_print(stdout, &node);
            if (settings.output)
                err = node_yaml_write(settings.output, &node, reason, sizeof reason);
        }
        node_destroy(&node);
    }
    return err ? talk_fail(exit_code_of(err), "calibrate: %s", reason) : EXIT_DONE;
}
