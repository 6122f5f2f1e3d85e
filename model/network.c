#include "model/network.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A second for anything: far above every network, and far below what 64 bits hold. */
static const double most_ns = 1e9;

/* Those of LogGOPSim when nothing is said. */
static struct network network_default(void)
{
    static const char source[] = "assumed: LogGOPSim's defaults";
    return (struct network){.name = "loggp",
                            .kind = NETWORK_LOGGP,
                            .latency_ns = quantity_of(2500, source),
                            .overhead_ns = quantity_of(1500, source),
                            .gap_ns = quantity_of(1000, source),
                            .receiver_gap_ns = quantity_of(1000, source),
                            .byte_ns = quantity_of(6, source),
                            .switch_ns = quantity_unknown(),
                            .link_byte_ns = quantity_unknown()};
}

/* The parameter of that name, `length` characters; NULL if there is none. */
static struct quantity *find(struct network *network, const char *name, size_t length)
{
    const struct {
        const char *name;
        struct quantity *quantity;
    } parameters[] = {{"L", &network->latency_ns},
                      {"o", &network->overhead_ns},
                      {"g", &network->gap_ns},
                      {"G", &network->byte_ns},
                      {"gr", &network->receiver_gap_ns}};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (strlen(parameters[i].name) == length && strncmp(parameters[i].name, name, length) == 0)
            return parameters[i].quantity;
    return NULL;
}

/* A number with its unit, up to a comma or the end. */
static int time_parse(const char *text, size_t length, double *out_ns)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {{"ps", 1e-3}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end;
    double value = strtod(text, &end);
    if (end == text || !isfinite(value) || value < 0)
        return -EINVAL;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == (size_t)(text + length - end) && strncmp(end, units[i].name, strlen(units[i].name)) == 0) {
            *out_ns = value * units[i].scale;
            return *out_ns <= most_ns ? 0 : -ERANGE;
        }
    return -EINVAL;
}

/* One NAME=TIME. */
static int item_parse(const char *item, size_t length, struct network *network, int *own_receiver_gap, char *reason,
                      size_t reason_bytes)
{
    size_t name = strcspn(item, "=,");
    struct quantity *quantity = find(network, item, name);
    double value_ns;
    if (!quantity || item[name] != '=') {
        snprintf(reason, reason_bytes, "'%.*s' is no parameter of a network: use L=, o=, g=, G= or gr=", (int)length, item);
        return -EINVAL;
    }
    int err = time_parse(item + name + 1, length - name - 1, &value_ns);
    if (err) {
        snprintf(reason, reason_bytes,
                 err == -ERANGE ? "'%.*s' is too long: at most 1s"
                                : "'%.*s' is not a time: write a number with ps, ns, us, ms or s, such as 1.5us",
                 (int)(length - name - 1), item + name + 1);
        return -EINVAL;
    }
    *quantity = quantity_of(value_ns, "given");
    *own_receiver_gap |= quantity == &network->receiver_gap_ns;
    return 0;
}

/* Of the kinds that need no file. */
static int words_kind(const char *text, size_t length, struct network *network)
{
    for (enum network_kind kind = NETWORK_LOGGP; kind <= NETWORK_SWITCH; kind++) {
        const char *name = network_kind_name(kind);
        if (strlen(name) != length || strncmp(text, name, length))
            continue;
        network->kind = kind;
        snprintf(network->name, sizeof network->name, "%s", name);
        return 0;
    }
    return -EINVAL;
}

int network_parse(const char *text, struct network *out, char *reason, size_t reason_bytes)
{
    struct network network = network_default();
    int own_receiver_gap = 0;
    size_t length = strcspn(text, ":");
    if (words_kind(text, length, &network)) {
        snprintf(reason, reason_bytes, "unknown network '%s': use loggp or loggp:L=2500ns,o=1500ns,g=1000ns,G=6ns", text);
        return -EINVAL;
    }
    for (const char *at = text + length; *at; at += length) {
        length = strcspn(++at, ",");
        if (item_parse(at, length, &network, &own_receiver_gap, reason, reason_bytes))
            return -EINVAL;
    }
    if (!own_receiver_gap)
        network.receiver_gap_ns = network.gap_ns;
    *out = network;
    return 0;
}

const char *network_format(const struct network *network, char *text, size_t text_bytes)
{
    if (network->kind > NETWORK_SWITCH || strcmp(network->name, network_kind_name(network->kind))) {
        snprintf(text, text_bytes, "%s", network->name);
        return text;
    }
    snprintf(text, text_bytes, "%s:L=%.10gns,o=%.10gns,g=%.10gns,G=%.10gns,gr=%.10gns", network->name, network->latency_ns.value,
             network->overhead_ns.value, network->gap_ns.value, network->byte_ns.value, network->receiver_gap_ns.value);
    return text;
}

struct loggp network_loggp(const struct network *network)
{
    return (struct loggp){.latency_ps = (uint64_t)llround(network->latency_ns.value * 1e3),
                          .overhead_ps = (uint64_t)llround(network->overhead_ns.value * 1e3),
                          .gap_ps = (uint64_t)llround(network->gap_ns.value * 1e3),
                          .receiver_gap_ps = (uint64_t)llround(network->receiver_gap_ns.value * 1e3),
                          .byte_fs = (uint64_t)llround(network->byte_ns.value * 1e6)};
}
