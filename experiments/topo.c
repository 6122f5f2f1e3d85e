/* shmcoll topo: a node as people read it, or as rows of item, value, interval and source. */
#include "experiments/rows.h"
#include "experiments/topo.h"
#include "model/formats/node_fields.h"
#include "model/formats/network_load.h"
#include "model/formats/node_load.h"
#include "model/formats/presets.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- rows: csv and jsonl ---- */

void topo_row_emit(const struct topo_rows *rows, const char *item, const char *text, const struct quantity *q, const char *unit)
{
    const char *const names[] = {"item", "value", "low", "high", "unit", "source"};
    const char *const words[] = {item, text, NULL, NULL, unit, q ? q->source : NULL};
    const double numbers[] = {NAN, q ? q->value : NAN, q ? q->low : NAN, q ? q->high : NAN, NAN, NAN};
    char number[40];
    for (int i = 0; i < 6; i++) {
        int has = words[i] ? *words[i] != 0 : !isnan(numbers[i]);
        if (rows->json && !has)
            continue;
        fputs(i ? "," : rows->json ? "{" : "", rows->file);
        if (rows->json)
            fprintf(rows->file, "\"%s\":", names[i]);
        if (has && words[i])
            json_print_text(rows->file, words[i]);
        else if (has)
            fputs(real_format(numbers[i], number, sizeof number), rows->file);
    }
    fputs(rows->json ? "}\n" : "\n", rows->file);
}

static void row_emit_number(const struct topo_rows *rows, const char *item, double value, const char *unit)
{
    struct quantity q = {.value = value, .low = NAN, .high = NAN};
    topo_row_emit(rows, item, NULL, &q, unit);
}

/* The unit a name ends with. */
static const char *unit_of(const char *name)
{
    static const char *const endings[][2] = {
        {"_s_per_byte", "s/B"}, {".s_per_byte", "s/B"}, {"bytes_per_s", "B/s"}, {"_ns", "ns"}, {"_s", "s"}, {"_bytes", "B"}};
    size_t length = strlen(name);
    if (!strncmp(name, "handover_ns.", 12))
        return "ns";
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i][0]);
        if (length >= ending && !strcmp(name + length - ending, endings[i][0]))
            return endings[i][1];
    }
    return "";
}

static void row_see(void *context, const char *name, const struct quantity *quantity)
{
    topo_row_emit(context, name, NULL, quantity, quantity_known(quantity) ? unit_of(name) : NULL);
}

static void rows_print_shape(const struct topo_rows *rows, const struct node *node)
{
    char item[64];
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"cores", node->cores},
                   {"domains", node->domains},
                   {"sockets", node->sockets},
                   {"line_bytes", node->line_bytes},
                   {"page_bytes", node->page_bytes},
                   {"l1_bytes", (double)node->l1_bytes},
                   {"l2_bytes", (double)node->l2_bytes},
                   {"llc_bytes", (double)node->llc_bytes}};
    topo_row_emit(rows, "name", node->name, NULL, NULL);
    topo_row_emit(rows, "description", node->description, NULL, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value > 0)
            row_emit_number(rows, numbers[i].name, numbers[i].value, unit_of(numbers[i].name));
    for (uint32_t c = 0; c < node->cores; c++) {
        const uint32_t values[] = {node->core_os[c], node->core_domain[c], node->core_socket[c], node->core_cache[c]};
        static const char *const names[] = {"os", "domain", "socket", "cache"};
        for (int k = 0; k < 4; k++) {
            snprintf(item, sizeof item, "core.%u.%s", c, names[k]);
            row_emit_number(rows, item, values[k], NULL);
        }
    }
}

static void rows_print_domains(const struct topo_rows *rows, const struct node *node)
{
    char item[64];
    for (uint32_t d = 0; d < node->domains; d++) {
        snprintf(item, sizeof item, "domain.%u.os", d);
        row_emit_number(rows, item, node->domain_os[d], NULL);
        snprintf(item, sizeof item, "domain.%u.memory_bytes", d);
        if (node->domain_memory_bytes[d])
            row_emit_number(rows, item, (double)node->domain_memory_bytes[d], "B");
        for (uint32_t e = 0; e < node->domains; e++) {
            snprintf(item, sizeof item, "distance.%u.%u", d, e);
            row_emit_number(rows, item, node->distance[d * node->domains + e], NULL);
        }
    }
}

static void rows_print(FILE *file, enum format format, const struct node *node)
{
    struct topo_rows rows = {file, format == FORMAT_JSONL};
    char item[96];
    if (!rows.json)
        fputs("item,value,low,high,unit,source\n", file);
    rows_print_shape(&rows, node);
    rows_print_domains(&rows, node);
    node_quantities_walk(node, row_see, &rows);
    for (size_t i = 0; i < node->copy_point_count; i++) {
        const struct copy_point *p = &node->copy_points[i];
        snprintf(item, sizeof item, "copy_points.%s.f%llu.q%llu.m%llu", copy_class_name(p->copy_class),
                 (unsigned long long)p->fragment_bytes, (unsigned long long)p->queue_bytes, (unsigned long long)p->message_bytes);
        topo_row_emit(&rows, item, NULL, &p->time_s, "s");
    }
    for (uint32_t i = 0; node->pair_handover_ns && i < node->cores; i++)
        for (uint32_t j = 0; j < node->cores; j++) {
            snprintf(item, sizeof item, "pair_handover_ns.%u.%u", i, j);
            if (!isnan(node->pair_handover_ns[(size_t)i * node->cores + j]))
                row_emit_number(&rows, item, node->pair_handover_ns[(size_t)i * node->cores + j], "ns");
        }
}

/* ---- the table ---- */

/* Prints the members of a group as ranges: 0-7,16-23. `number` of NULL prints the cores themselves. */
static void ranges_print(FILE *file, const struct node *node, const uint32_t *group, uint32_t member, const uint32_t *number)
{
    const char *separator = "";
    for (uint32_t c = 0; c < node->cores;) {
        uint32_t first = number ? number[c] : c, last = first;
        if (group[c++] != member)
            continue;
        for (; c < node->cores && group[c] == member && (number ? number[c] : c) == last + 1; c++)
            last++;
        fprintf(file, last > first ? "%s%u-%u" : "%s%u", separator, first, last);
        separator = ",";
    }
}

static uint32_t groups_count(const struct node *node, const uint32_t *group)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < node->cores; c++) {
        uint32_t before = 0;
        while (before < c && group[before] != group[c])
            before++;
        count += before == c;
    }
    return count;
}

static void size_print(FILE *file, const char *label, uint64_t bytes)
{
    char text[32];
    if (bytes)
        fprintf(file, "  %s %s", label, size_format(bytes, text, sizeof text));
}

static void head_print(FILE *file, const struct node *node)
{
    fprintf(file, "%s: %s\n", node->name, node->description);
    fprintf(file, "%u cores, %u domains, %u sockets, %u last-level caches\n", node->cores, node->domains, node->sockets,
            groups_count(node, node->core_cache));
    fputs("sizes", file);
    size_print(file, "line", node->line_bytes);
    size_print(file, "page", node->page_bytes);
    size_print(file, "L1", node->l1_bytes);
    size_print(file, "L2", node->l2_bytes);
    size_print(file, "last-level cache", node->llc_bytes);
    fputc('\n', file);
}

static void domains_print(FILE *file, const struct node *node)
{
    for (uint32_t d = 0; d < node->domains; d++) {
        fprintf(file, "\ndomain %u (os %u", d, node->domain_os[d]);
        if (node->domain_memory_bytes[d])
            fprintf(file, ", %.1f GiB", (double)node->domain_memory_bytes[d] / (1u << 30));
        fputs("): cores ", file);
        ranges_print(file, node, node->core_domain, d, NULL);
        fputs(", os cpus ", file);
        ranges_print(file, node, node->core_domain, d, node->core_os);
    }
    for (uint32_t s = 0; s < node->sockets; s++) {
        fprintf(file, "\nsocket %u: cores ", s);
        ranges_print(file, node, node->core_socket, s, NULL);
    }
    fputc('\n', file);
}

static void distances_print(FILE *file, const struct node *node)
{
    if (node->domains < 2)
        return;
    fputs("\ndistance", file);
    for (uint32_t j = 0; j < node->domains; j++)
        fprintf(file, " %5u", j);
    for (uint32_t i = 0; i < node->domains; i++) {
        fprintf(file, "\n%8u", i);
        for (uint32_t j = 0; j < node->domains; j++)
            fprintf(file, " %5g", node->distance[i * node->domains + j]);
    }
    fputc('\n', file);
}

struct table {
    FILE *file;
    size_t known, unknown;
    char missing[600];
};

/* Units people read: ns, ps a byte, GB/s. */
static double scale_of(const char *unit, const char **shown)
{
    *shown = unit;
    if (!strcmp(unit, "s/B"))
        return *shown = "ps/B", 1e12;
    if (!strcmp(unit, "B/s"))
        return *shown = "GB/s", 1e-9;
    if (!strcmp(unit, "s"))
        return *shown = "ns", 1e9;
    return 1;
}

static void table_see(void *context, const char *name, const struct quantity *q)
{
    struct table *table = context;
    const char *unit;
    double scale = scale_of(unit_of(name), &unit);
    char interval[48] = "";
    if (!quantity_known(q)) {
        size_t length = strlen(table->missing);
        snprintf(table->missing + length, sizeof table->missing - length, "%s%s", table->unknown++ ? ", " : "", name);
        return;
    }
    if (!table->known++)
        fprintf(table->file, "\n%-28s %10s %-4s  %-18s %s\n", "cost", "value", "unit", "interval", "source");
    if (q->low != q->value || q->high != q->value)
        snprintf(interval, sizeof interval, "%.4g .. %.4g", q->low * scale, q->high * scale);
    fprintf(table->file, "%-28s %10.4g %-4s  %-18s %s\n", name, q->value * scale, unit, interval, q->source);
}

static void table_print(FILE *file, const struct node *node)
{
    struct table table = {.file = file};
    head_print(file, node);
    domains_print(file, node);
    distances_print(file, node);
    node_quantities_walk(node, table_see, &table);
    if (node->copy_point_count)
        fprintf(file, "%zu measured copies (--format csv lists them)\n", node->copy_point_count);
    if (node->pair_handover_ns)
        fputs("hand-over by pair of cores (--format csv lists it)\n", file);
    if (!table.known)
        fputs("\nno costs: calibrate this host, or use a preset or a node file\n", file);
    else if (table.unknown)
        fprintf(file, "unknown: %s\n", table.missing);
}

/* ---- the command ---- */

static void presets_print(FILE *file, enum format format)
{
    struct topo_rows rows = {file, format == FORMAT_JSONL};
    if (format == FORMAT_CSV)
        fputs("item,value,low,high,unit,source\n", file);
    for (size_t i = 0; i < preset_count(); i++) {
        if (format == FORMAT_TABLE)
            fprintf(file, "%-17s %s\n", preset_name(i), preset_description(i));
        else
            topo_row_emit(&rows, preset_name(i), preset_description(i), NULL, NULL);
    }
    topo_networks_list(file, format);
}

static int print(FILE *file, const struct settings *settings, const struct node *node, const struct network *network)
{
    int err = 0;
    if (settings->list)
        presets_print(file, settings->format);
    else if (settings->network)
        err = topo_network_print(file, settings->format, network);
    else if (settings->format == FORMAT_TABLE)
        table_print(file, node);
    else
        rows_print(file, settings->format, node);
    return err ? err : ferror(file) ? -EIO : 0;
}

int command_topo(int argc, char **argv)
{
    struct settings settings;
    struct node node = {0};
    struct network network;
    char reason[400];
    int err = 0;
    int code = options_parse(argc, argv, &settings);
    if (code >= 0)
        return code;
    if (settings.positional_count)
        return talk_fail(EXIT_USAGE, "topo takes no words: '%s'; name the node with --node", settings.positional[0]);
    if (settings.list && (settings_given(&settings, "node") || settings.network))
        return talk_fail(EXIT_USAGE, "--list shows the names of all: leave out --%s, or --list",
                         settings.network ? "network" : "node");
    if (settings.network && settings_given(&settings, "node"))
        return talk_fail(EXIT_USAGE, "topo shows a --node or a --network: leave one out");
    if (settings.network && !settings.list)
        err = network_load(settings.network, &network, reason, sizeof reason);
    else if (!settings.list)
        err = node_load(settings.node, &node, reason, sizeof reason);
    if (err)
        return talk_fail(exit_code_of_input(err), "%s", reason);
    FILE *file = settings.output ? fopen(settings.output, "w") : stdout;
    if (!file)
        code = talk_fail(EXIT_FAILED, "cannot write %s: %s; choose another path", settings.output, strerror(errno));
    else {
        code = EXIT_DONE;
        err = print(file, &settings, &node, &network);
        if ((file != stdout && fclose(file)) || err)
            code = talk_fail(EXIT_FAILED, "cannot write what was asked for: is the disk full?");
    }
    node_destroy(&node);
    return code;
}
