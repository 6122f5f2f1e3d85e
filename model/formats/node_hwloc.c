#include "model/formats/node_hwloc.h"

#include "model/formats/hwloc_xml_check.h"

#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Objects in order of appearance: their position is the dense number the node uses. */
struct object_list {
    hwloc_obj_t *object;
    uint32_t count;
};

static uint32_t object_list_number(struct object_list *list, hwloc_obj_t object)
{
    for (uint32_t i = list->count; i-- > 0;)
        if (list->object[i] == object)
            return i;
    list->object[list->count] = object;
    return list->count++;
}

struct survey {
    hwloc_topology_t topology;
    struct node node;
    struct object_list domains, sockets, caches;
};

static hwloc_obj_type_t core_type(hwloc_topology_t topology)
{
    return hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

/* Of several domains as near (DRAM beside high-bandwidth memory) the first numbered one is taken: it is the ordinary one. */
static hwloc_obj_t domain_of(hwloc_topology_t topology, hwloc_obj_t core)
{
    hwloc_obj_t found = NULL, candidate = NULL;
    while ((candidate = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, candidate)))
        if (candidate->cpuset && hwloc_bitmap_intersects(candidate->cpuset, core->cpuset) &&
            (!found || candidate->os_index < found->os_index))
            found = candidate;
    return found;
}

static void cache_note(struct node *node, hwloc_obj_t cache)
{
    uint64_t bytes = cache->attr->cache.size;
    if (cache->attr->cache.depth == 1)
        node->l1_bytes = bytes;
    if (cache->attr->cache.depth == 2)
        node->l2_bytes = bytes;
    node->llc_bytes = bytes;
    if (cache->attr->cache.linesize)
        node->line_bytes = cache->attr->cache.linesize;
}

/* The outermost data cache above the core; without one its socket, or the machine. */
static hwloc_obj_t last_cache_of(hwloc_topology_t topology, hwloc_obj_t core, struct node *node)
{
    hwloc_obj_t last = NULL;
    for (hwloc_obj_t up = core; up; up = up->parent)
        if (hwloc_obj_type_is_dcache(up->type)) {
            last = up;
            cache_note(node, up);
        }
    if (!last)
        last = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, core);
    return last ? last : hwloc_get_root_obj(topology);
}

static int core_place(struct survey *s, uint32_t index, hwloc_obj_t core)
{
    struct node *node = &s->node;
    hwloc_obj_t domain = domain_of(s->topology, core);
    hwloc_obj_t socket = hwloc_get_ancestor_obj_by_type(s->topology, HWLOC_OBJ_PACKAGE, core);
    int os = hwloc_bitmap_first(core->cpuset);
    if (!domain || os < 0)
        return -EINVAL;
    node->core_os[index] = (uint32_t)os;
    node->core_domain[index] = object_list_number(&s->domains, domain);
    node->core_socket[index] = object_list_number(&s->sockets, socket ? socket : hwloc_get_root_obj(s->topology));
    node->core_cache[index] = object_list_number(&s->caches, last_cache_of(s->topology, core, node));
    return 0;
}

static void domains_describe(struct survey *s)
{
    struct node *node = &s->node;
    node->domains = s->domains.count;
    node->sockets = s->sockets.count;
    for (uint32_t d = 0; d < node->domains; d++) {
        const struct hwloc_numanode_attr_s *memory = &s->domains.object[d]->attr->numanode;
        node->domain_os[d] = s->domains.object[d]->os_index;
        node->domain_memory_bytes[d] = memory->local_memory;
        if (memory->page_types_len && memory->page_types[0].size >= 1024 && memory->page_types[0].size <= (1u << 30))
            node->page_bytes = (uint32_t)memory->page_types[0].size;
    }
}

/* Latencies between domains, or 10 and 20 where hwloc has none. */
static void distances_describe(struct survey *s)
{
    struct node *node = &s->node;
    uint32_t n = node->domains;
    struct hwloc_distances_s *found = NULL;
    unsigned count = 1;
    for (uint32_t i = 0; i < n * n; i++)
        node->distance[i] = i / n == i % n ? 10 : 20;
    if (hwloc_distances_get_by_type(s->topology, HWLOC_OBJ_NUMANODE, &count, &found, HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) ||
        !count)
        return;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            hwloc_uint64_t there, back;
            if (!hwloc_distances_obj_pair_values(found, s->domains.object[i], s->domains.object[j], &there, &back) && there)
                node->distance[i * n + j] = (double)there;
        }
    hwloc_distances_release(s->topology, found);
}

static int survey_cores(struct survey *s, uint32_t cores)
{
    hwloc_obj_type_t type = core_type(s->topology);
    for (uint32_t i = 0; i < cores; i++) {
        int err = core_place(s, i, hwloc_get_obj_by_type(s->topology, type, i));
        if (err)
            return err;
    }
    domains_describe(s);
    distances_describe(s);
    return 0;
}

static int survey_run(struct survey *s, uint32_t domains, uint32_t cores)
{
    int err = node_create(&s->node, domains, cores);
    if (err)
        return err;
    s->domains.object = calloc(domains, sizeof *s->domains.object);
    s->sockets.object = calloc(cores, sizeof *s->sockets.object);
    s->caches.object = calloc(cores, sizeof *s->caches.object);
    err = s->domains.object && s->sockets.object && s->caches.object ? survey_cores(s, cores) : -ENOMEM;
    free(s->domains.object);
    free(s->sockets.object);
    free(s->caches.object);
    if (err)
        node_destroy(&s->node);
    return err;
}

/* Copies without leading and repeated blanks, which vendors leave in the names of their processors. */
static void words_copy(const char *from, char *to, size_t to_bytes)
{
    size_t length = 0;
    for (; *from && length + 1 < to_bytes; from++)
        if (*from != ' ' || (length && to[length - 1] != ' '))
            to[length++] = *from;
    while (length && to[length - 1] == ' ')
        length--;
    to[length] = 0;
}

static void node_describe(hwloc_topology_t topology, const char *name, struct node *node)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *info = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    char cpu[80];
    int skipped = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU) - (int)node->cores;
    words_copy(info ? info : "processor without a name", cpu, sizeof cpu);
    if (skipped > 0)
        snprintf(node->description, sizeof node->description, "%s, %d SMT siblings skipped", cpu, skipped);
    else
        snprintf(node->description, sizeof node->description, "%s", cpu);
    snprintf(node->name, sizeof node->name, "%s", name);
}

static int topology_read(hwloc_topology_t topology, const char *what, const char *name, struct node *out, char *reason,
                         size_t reason_bytes)
{
    int cores = hwloc_get_nbobjs_by_type(topology, core_type(topology));
    int domains = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    if (cores > NODE_CORES_MAX || domains > NODE_DOMAINS_MAX) {
        snprintf(reason, reason_bytes, "%s: %d cores and %d domains; at most %d and %d are supported", what, cores, domains,
                 NODE_CORES_MAX, NODE_DOMAINS_MAX);
        return -E2BIG;
    }
    struct survey s = {.topology = topology};
    int err = cores > 0 && domains > 0 ? survey_run(&s, (uint32_t)domains, (uint32_t)cores) : -EINVAL;
    if (err) {
        snprintf(reason, reason_bytes, "%s: %s", what,
                 err == -ENOMEM ? "out of memory" : "no core with a memory domain in this topology");
        return err;
    }
    node_describe(topology, name, &s.node);
    *out = s.node;
    return 0;
}

int node_hwloc_host(struct node *out, char *reason, size_t reason_bytes)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology)) {
        snprintf(reason, reason_bytes, "host: out of memory");
        return -ENOMEM;
    }
    /* A cpuset given by taskset or a batch system is kept, for that is where ranks may be placed. */
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
    int err = hwloc_topology_load(topology) ? -EINVAL : 0;
    if (err)
        snprintf(reason, reason_bytes, "host: hwloc cannot detect the topology; give --node a preset or a file");
    else
        err = topology_read(topology, "host", "host", out, reason, reason_bytes);
    hwloc_topology_destroy(topology);
    if (!err)
        out->page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
    return err;
}

/* The file's name without folders and ending. */
static void name_from_path(const char *path, char *name, size_t name_bytes)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, name_bytes, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = 0;
}

static int xml_check(const char *path, const char *xml, char *reason, size_t reason_bytes)
{
    if (!strstr(xml, "<topology version=\"3"))
        return hwloc_xml_check(path, xml, reason, reason_bytes);
    snprintf(reason, reason_bytes, "%s: XML of hwloc 3 cannot be read; export it with lstopo --export-xml-flags v2", path);
    return -EINVAL;
}

int node_hwloc_xml(const char *path, const char *xml, size_t bytes, struct node *out, char *reason, size_t reason_bytes)
{
    hwloc_topology_t topology;
    char name[NODE_NAME_BYTES];
    int err = xml_check(path, xml, reason, reason_bytes);
    if (err)
        return err;
    if (bytes >= INT_MAX || hwloc_topology_init(&topology)) {
        snprintf(reason, reason_bytes, "%s: out of memory", path);
        return -ENOMEM;
    }
    if (hwloc_topology_set_xmlbuffer(topology, xml, (int)bytes + 1) || hwloc_topology_load(topology)) {
        snprintf(reason, reason_bytes, "%s: not a topology hwloc can read; make one with lstopo FILE.xml", path);
        err = -EINVAL;
    }
    name_from_path(path, name, sizeof name);
    if (!err)
        err = topology_read(topology, path, name, out, reason, reason_bytes);
    hwloc_topology_destroy(topology);
    return err;
}

/* The number of hardware threads a synthetic text asks for: the product of its counts, attributes in () left out.
 * UINT_MAX where one count is above count_max, or has a sign, which hwloc would read as huge. Needed first, for hwloc builds
 * whatever it is asked for, in time quadratic in the largest count. */
static unsigned synthetic_size(const char *text, unsigned count_max)
{
    unsigned long long product = 1;
    int attributes = 0;
    for (const char *c = text; *c; c++) {
        attributes = *c == '(' || (attributes && *c != ')');
        int starts = c == text || isspace((unsigned char)c[-1]) || strchr(":)]", c[-1]);
        if (attributes || !(isdigit((unsigned char)*c) || *c == '-' || *c == '+') || !starts)
            continue;
        unsigned long long count = isdigit((unsigned char)*c) ? strtoull(c, NULL, 0) : ULLONG_MAX;
        if (count > count_max || product * count > UINT_MAX)
            return UINT_MAX;
        product *= count;
    }
    return (unsigned)product;
}

int node_hwloc_synthetic(const char *text, struct node *out, char *reason, size_t reason_bytes)
{
    enum { THREADS_MAX = 2 * NODE_CORES_MAX, COUNT_MAX = 1024, TEXT_MAX = 1024 }; /* hwloc takes a minute for core:30000 */
    hwloc_topology_t topology;
    if (strlen(text) > TEXT_MAX || synthetic_size(text, COUNT_MAX) > THREADS_MAX) {
        snprintf(reason, reason_bytes, "synthetic:%.40s: more than %d hardware threads, %d parts of one object or %d characters; "
                 "ask for fewer", text, THREADS_MAX, COUNT_MAX, TEXT_MAX);
        return -E2BIG;
    }
    if (hwloc_topology_init(&topology)) {
        snprintf(reason, reason_bytes, "synthetic: out of memory");
        return -ENOMEM;
    }
    char what[NODE_NAME_BYTES];
    snprintf(what, sizeof what, "synthetic:%s", text);
    int err = 0;
    if (hwloc_topology_set_synthetic(topology, text) || hwloc_topology_load(topology)) {
        snprintf(reason, reason_bytes, "%s: hwloc cannot build it; try for example \"pack:2 numa:1 l3:1 core:8 pu:1\"", what);
        err = -EINVAL;
    } else
        err = topology_read(topology, what, what, out, reason, reason_bytes);
    hwloc_topology_destroy(topology);
    return err;
}
