/* Where ranks may go: nodes of a cluster, and what is in them, as a hierarchy with distances. */
#include "experiments/map.h"
#include "model/formats/network_load.h"
#include "model/formats/node_load.h"
#include "model/scenario.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    return talk_fail(EXIT_UNABLE, "no memory for so many ranks: map fewer");
}

static int load(const struct settings *s, struct map_machine *m)
{
    char reason[512];
    int error = s->node ? node_load(s->node, &m->node, reason, sizeof reason) : 0;
    if (error)
        return talk_fail(error == -ENOENT ? EXIT_USAGE : exit_code_of(error), "%s", reason);
    if (s->network && network_load(s->network, &m->network, reason, sizeof reason))
        return talk_fail(EXIT_USAGE, "%s", reason);
    return 0;
}

/* How many ranks a node takes at most where nothing is said but what it is. */
static uint32_t room_of_node(const struct settings *s, const struct map_machine *m)
{
    return s->ppn ? s->ppn : s->node ? m->node.cores : 0;
}

/* How many parts: by --sizes, --parts, or as many nodes as it takes. */
static int parts_count(const struct settings *s, uint32_t procs, struct map_machine *m)
{
    uint32_t room = room_of_node(s, m);
    m->parts = s->sizes.count ? (uint32_t)s->sizes.count : s->parts ? s->parts : room ? (procs - 1) / room + 1 : 0;
    if (!m->parts)
        return talk_fail(EXIT_USAGE, "say how many nodes there are: --parts N, --sizes A,B,..., --ppn N or --node NODE");
    if (s->sizes.count && s->parts && s->parts != s->sizes.count)
        return talk_fail(EXIT_USAGE, "--sizes has %zu parts and --parts %u: leave one out", s->sizes.count, s->parts);
    if (m->parts > procs)
        return talk_fail(EXIT_USAGE, "--parts: %u are more than the %u ranks: every part needs one", m->parts, procs);
    return 0;
}

/* As they were given: in 64 bits. */
static int given_check(const struct settings *s, uint32_t procs)
{
    for (size_t p = 0; p < s->sizes.count; p++)
        if (s->sizes.value[p] > procs)
            return talk_fail(EXIT_USAGE, "--sizes: part %zu has %llu ranks, but there are only %u", p,
                             (unsigned long long)s->sizes.value[p], procs);
    return 0;
}

/* Ranks of every part: as given, alike, or node after node full. */
static void sizes_fill(const struct settings *s, uint32_t procs, struct map_machine *m)
{
    uint32_t room = room_of_node(s, m), left = procs;
    for (uint32_t p = 0; p < m->parts; p++) {
        uint32_t alike = procs / m->parts + (p < procs % m->parts);
        m->sizes[p] = s->sizes.count ? (uint32_t)s->sizes.value[p] : s->parts ? alike : left < room ? left : room;
        left -= m->sizes[p];
    }
}

static int sizes_check(const struct settings *s, uint32_t procs, const struct map_machine *m)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < m->parts; p++) {
        sum += m->sizes[p];
        if (!m->sizes[p])
            return talk_fail(EXIT_USAGE, "--sizes: part %u has size 0: leave it out, or give it a rank", p);
        if (s->node && m->sizes[p] > m->node.cores)
            return talk_fail(EXIT_USAGE, "part %u has %u ranks, but node %s %u cores: take more parts", p, m->sizes[p],
                             m->node.name, m->node.cores);
        if (s->ppn && m->sizes[p] > s->ppn)
            return talk_fail(EXIT_USAGE, "part %u has %u ranks, but --ppn is %u: take more parts, or leave --ppn out", p,
                             m->sizes[p], s->ppn);
    }
    if (sum != procs)
        return talk_fail(EXIT_USAGE, "--sizes add up to %llu, but there are %u ranks", (unsigned long long)sum, procs);
    return 0;
}

/* Places part after part, on the cores that --place takes of a node. */
static int places_fill(const struct settings *s, struct map_machine *m)
{
    uint32_t most = 0, place = 0;
    for (uint32_t p = 0; p < m->parts; p++)
        most = m->sizes[p] > most ? m->sizes[p] : most;
    uint32_t *core = calloc(most, sizeof *core);
    if (!core)
        return no_memory();
    for (uint32_t i = 0; i < most; i++)
        core[i] = i;
    if (s->node && placement_fill(s->place, &m->node, most, core)) {
        free(core);
        return talk_fail(EXIT_USAGE, "--place: '%s' does not fit node %s with %u cores: use compact, scatter or list:A,B,...",
                         s->place, m->node.name, m->node.cores);
    }
    for (uint32_t p = 0; p < m->parts; p++)
        for (uint32_t i = 0; i < m->sizes[p]; i++, place++) {
            m->part[place] = p;
            m->core[place] = core[i];
        }
    free(core);
    return 0;
}

/* Adds a level and the distance of crossing it; 0 if it parts nobody beyond those there are. */
struct layering {
    struct map_machine *m;
    double crossing[HIERARCHY_LEVELS_MAX]; /* seconds per byte beyond that of the level within */
    uint32_t *key;
};

static int layer_add(struct layering *l, const char *name, double crossing)
{
    struct hierarchy *h = &l->m->hierarchy;
    uint32_t before = h->levels;
    int error = hierarchy_add(h, name, l->key);
    if (!error && h->levels > before)
        l->crossing[before] = crossing;
    return error;
}

/* Switches of a fat tree, from the top; each link up serves `ppn` ranks of as many nodes as share it. */
static int layer_switches(struct layering *l, uint32_t procs, double ppn)
{
    const struct network *network = &l->m->network;
    struct fat_tree tree;
    char reason[256];
    if (network_tree(network, l->m->parts, &tree, reason, sizeof reason))
        return talk_fail(EXIT_USAGE, "%s", reason);
    for (uint32_t level = tree.levels - 1; level >= 1; level--) {
        double links = (double)tree.below[level] / tree.ways[level + 1];
        for (uint32_t r = 0; r < procs; r++)
            l->key[r] = l->m->part[r] / tree.below[level];
        if (layer_add(l, "switch", ppn * links * (double)network_link_byte_fs(network) * 1e-15))
            return no_memory();
    }
    return 0;
}

/* The firmware's distance of the farthest domain of a core of the first one's socket, or of another; that of its own if there is
 * none. */
static double firmware_distance(const struct node *node, int same_socket)
{
    uint32_t here = node->core_domain[0];
    double most = node->distance[here * node->domains + here];
    for (uint32_t c = 0; c < node->cores; c++)
        if ((node->core_socket[c] == node->core_socket[0]) == same_socket)
            most = fmax(most, node->distance[here * node->domains + node->core_domain[c]]);
    return most;
}

/* What is within nodes. Copies from the farthest domain take 1 / remote_ratio as long, or where that is unknown, as the
 * firmware's distances say, and from nearer ones in between as those say. */
static int layer_cores(struct layering *l, uint32_t procs, double copy_s_per_byte)
{
    const struct node *node = &l->m->node;
    double own = node->distance[0], near = firmware_distance(node, 1), far = fmax(near, firmware_distance(node, 0));
    double more = copy_s_per_byte * (far > own ? 1 / quantity_or(&node->remote_ratio, own / far) - 1 : 0);
    double domain = far > own ? more * (near - own) / (far - own) : 0;
    const struct {
        const char *name;
        const uint32_t *of_core;
        double crossing;
    } inside[] = {{"socket", node->core_socket, more - domain},
                  {"domain", node->core_domain, domain},
                  {"cache", node->core_cache, 0}};
    int error = 0;
    for (size_t i = 0; i < 3 && !error; i++) {
        for (uint32_t r = 0; r < procs; r++)
            l->key[r] = inside[i].of_core[l->m->core[r]];
        error = layer_add(l, inside[i].name, inside[i].crossing);
    }
    return error ? no_memory() : 0;
}

static int layers(const struct settings *s, uint32_t procs, struct layering *l, double copy_s_per_byte)
{
    struct map_machine *m = l->m;
    double ppn = (double)procs / m->parts;
    int code = s->network && m->network.kind == NETWORK_FAT_TREE ? layer_switches(l, procs, ppn) : 0;
    if (code)
        return code;
    m->node_level = m->hierarchy.levels;
    memcpy(l->key, m->part, procs * sizeof *l->key);
    if (layer_add(l, "node", s->network ? ppn * m->network.byte_ns.value * 1e-9 : 0))
        return no_memory();
    if (m->node_level && m->node_level == m->hierarchy.levels)
        m->node_level--; /* a node to each switch */
    return s->node ? layer_cores(l, procs, copy_s_per_byte) : 0;
}

/* Seconds per byte if what is crossed has a known speed, else levels counted. */
static void distances_set(const struct settings *s, struct map_machine *m, const struct layering *l, double copy_s_per_byte)
{
    struct hierarchy *h = &m->hierarchy;
    int timed = (s->network || m->parts == 1) && !isnan(copy_s_per_byte) && (s->node || s->network);
    m->distance = timed ? "time" : "levels";
    if (!timed)
        return;
    double sum = h->distance_within = copy_s_per_byte;
    for (uint32_t i = h->levels; i-- > 0;)
        h->level[i].distance = sum += l->crossing[i];
}

static int arrange(const struct settings *s, uint32_t procs, struct map_machine *m)
{
    /* From slot to slot of long messages, both copies; without a node nothing is known of them, and nothing added. */
    double copy_s_per_byte = s->node ? node_copy_relay_s(&m->node, 1 << 20, 0, 0) / (1 << 20) : 0;
    struct layering l = {.m = m, .key = malloc(procs * sizeof *l.key)};
    int code = l.key && !hierarchy_init(&m->hierarchy, procs) ? places_fill(s, m) : no_memory();
    if (!code)
        code = layers(s, procs, &l, copy_s_per_byte);
    if (!code)
        distances_set(s, m, &l, copy_s_per_byte);
    free(l.key);
    return code;
}

int map_machine_create(const struct settings *s, uint32_t procs, struct map_machine *out)
{
    struct map_machine m = {.parts = 0};
    int code = load(s, &m);
    code = code ? code : given_check(s, procs);
    if (!code)
        code = parts_count(s, procs, &m);
    if (!code) {
        m.sizes = calloc(m.parts, sizeof *m.sizes);
        m.part = calloc(procs, sizeof *m.part);
        m.core = calloc(procs, sizeof *m.core);
        code = m.sizes && m.part && m.core ? 0 : no_memory();
    }
    if (!code) {
        sizes_fill(s, procs, &m);
        code = sizes_check(s, procs, &m);
    }
    if (!code)
        code = arrange(s, procs, &m);
    if (code)
        map_machine_destroy(&m);
    else
        *out = m;
    return code;
}

void map_machine_destroy(struct map_machine *m)
{
    node_destroy(&m->node);
    hierarchy_destroy(&m->hierarchy);
    free(m->sizes);
    free(m->part);
    free(m->core);
    *m = (struct map_machine){.parts = 0};
}
