/* Figures 11 to 13 on the presets of the paper's servers, every rank in turn as the root: where queues lie, and the paper's
 * broadcast against its peers'. Times are what its benchmark reports, figure_own. */
#include "experiments/figure.h"

static const struct tree_shape FLAT = {TREE_FLAT, 0};

enum { FRAGMENT_BYTES = 8192, OURS_SLOTS = 64, SIZE_MOST = 16 << 20 };

/* Every protocol with the parameters it comes with, ours with the paper's. What the kernel takes to copy from another process is
 * not known of these servers: protocols that need it are not here, but for the one that reads a buffer in the segment. */
static const struct way {
    const struct protocol *protocol;
    uint32_t slots, sets;
    struct tree_shape tree;
    uint64_t size_most;
} ways[] = {{&protocol_pipelined, OURS_SLOTS, 1, {TREE_KARY, 2}, SIZE_MOST},
            {&protocol_counted, OURS_SLOTS, 1, {TREE_KARY, 2}, SIZE_MOST},
            {&protocol_eager, OURS_SLOTS, 1, {TREE_KARY, 2}, 64},
            {&protocol_slot_ring, 128, 1, {TREE_FLAT, 0}, SIZE_MOST},
            {&protocol_banked, 8, 2, {TREE_KARY, 4}, SIZE_MOST},
            {&protocol_release_gather, 4, 1, {TREE_JOINED, 64}, SIZE_MOST},
            {&protocol_shared_source, OURS_SLOTS, 1, {TREE_FLAT, 0}, SIZE_MOST}};
enum { WAYS = sizeof ways / sizeof *ways, SLOT_RING = 3, BANKED = 4 };

/* What of a peer's set-up is taken over: its protocol; where its queues lie; that rank 0 alone sends, and is sent to before. */
enum setup { SETUP_PROTOCOL, SETUP_QUEUES, SETUP_LEADER, SETUPS };
static const char *const setup_names[SETUPS] = {"protocol", "queues", "leader"};

static uint64_t next_size(uint64_t size_bytes)
{
    return size_bytes * (size_bytes < 1 << 20 ? 2 : 4);
}

static struct figure_point point_of(const struct way *way, const struct node *node, uint32_t procs, uint64_t size_bytes)
{
    struct figure_point point = figure_pipelined(node, procs, size_bytes, FRAGMENT_BYTES, way->slots, way->sets, way->tree);
    point.protocol = way->protocol;
    point.root_shift = 1;
    return point;
}

static int places_of(FILE *csv, const struct figure_server *server, const struct node *node,
                     const struct figure_paper *paper)
{
    int code = 0;
    for (size_t w = 0; w < WAYS; w++)
        for (uint64_t size = 64; size <= ways[w].size_most && size <= paper->size_most_bytes && !code;
             size = next_size(size)) {
            struct figure_point apart = point_of(&ways[w], node, server->procs, size), together = apart;
            double apart_s, together_s;
            if (!(ways[w].protocol->uses & PROTOCOL_SLOTS))
                break;
            together.queues_together = 1;
            code = figure_own(&apart, &apart_s);
            code = code ? code : figure_own(&together, &together_s);
            if (!code)
                fprintf(csv, "%s,%u,%s,%llu,%.9g,%.9g,%.9g\n", server->node, server->procs, ways[w].protocol->name,
                        (unsigned long long)size, apart_s, together_s, apart_s / together_s);
        }
    return code;
}

/* Readahead puts pages that belong to others on rank 0's domain; here it does so with all of them. */
int figure_paper_11(FILE *csv, const struct figure_paper *paper)
{
    fprintf(csv, "node,procs,protocol,size_bytes,time_s,together_s,relative\n");
    return figure_on_servers(csv, paper, places_of);
}

int figure_11(FILE *csv, const struct settings *settings)
{
    (void)settings;
    return figure_paper_11(csv, &figure_as_it_is);
}

/* A message from a root to rank 0 ahead of the broadcast: two ranks on the cores of these, and a queue between them. */
static int hop(const struct node *node, uint32_t procs, uint64_t size_bytes, double *mean_s)
{
    double sum_s = 0;
    for (uint32_t root = 1; root < procs; root++) {
        char place[32];
        double time_s;
        snprintf(place, sizeof place, "list:%u,0", root);
        struct figure_point point = figure_pipelined(node, 2, size_bytes, FRAGMENT_BYTES, OURS_SLOTS, 1, FLAT);
        point.place = place;
        int code = figure_own(&point, &time_s);
        if (code)
            return code;
        sum_s += time_s;
    }
    *mean_s = sum_s / procs;
    return 0;
}

static int peer_time(const struct figure_point *peer, enum setup setup, double *time_s)
{
    struct figure_point point = *peer;
    point.queues_together = setup == SETUP_QUEUES;
    point.root_shift = setup != SETUP_LEADER;
    int code = figure_own(&point, time_s);
    if (code || setup != SETUP_LEADER)
        return code;
    double hop_s = 0;
    code = hop(peer->node, peer->procs, peer->size_bytes, &hop_s);
    *time_s += hop_s;
    return code;
}

/* All protocols against the peer in each of its set-ups. */
static int contest_size(FILE *csv, const struct figure_server *server, const struct node *node, const struct way *peer,
                        int setups, uint64_t size_bytes)
{
    struct figure_point point = point_of(peer, node, server->procs, size_bytes);
    double peer_s[SETUPS], time_s;
    int code = 0;
    for (int i = 0; i < setups && !code; i++)
        code = peer_time(&point, (enum setup)i, &peer_s[i]);
    for (size_t w = 0; w < WAYS && !code; w++) {
        if (&ways[w] == peer || size_bytes > ways[w].size_most)
            continue;
        point = point_of(&ways[w], node, server->procs, size_bytes);
        code = figure_own(&point, &time_s);
        for (int i = 0; i < setups && !code; i++)
            fprintf(csv, "%s,%u,%s,%s,%llu,%.9g,%.9g,%.9g\n", server->node, server->procs, ways[w].protocol->name, setup_names[i],
                    (unsigned long long)size_bytes, time_s, peer_s[i], time_s / peer_s[i]);
    }
    return code;
}

static int against(FILE *csv, const struct figure_server *server, const struct node *node, const struct way *peer, int setups,
                   uint64_t most_bytes)
{
    int code = 0;
    for (uint64_t size = 64; size <= SIZE_MOST && size <= most_bytes && !code; size = next_size(size))
        code = contest_size(csv, server, node, peer, setups, size);
    return code;
}

static void print_head(FILE *csv)
{
    fprintf(csv, "node,procs,protocol,setup,size_bytes,time_s,peer_s,relative\n");
}

static int against_slot_ring(FILE *csv, const struct figure_server *server, const struct node *node,
                     const struct figure_paper *paper)
{
    return against(csv, server, node, &ways[SLOT_RING], SETUPS, paper->size_most_bytes);
}

int figure_paper_12(FILE *csv, const struct figure_paper *paper)
{
    print_head(csv);
    return figure_on_servers(csv, paper, against_slot_ring);
}

int figure_12(FILE *csv, const struct settings *settings)
{
    (void)settings;
    return figure_paper_12(csv, &figure_as_it_is);
}

/* coll/sm has no leader. */
static int against_banked(FILE *csv, const struct figure_server *server, const struct node *node,
                     const struct figure_paper *paper)
{
    return against(csv, server, node, &ways[BANKED], SETUP_LEADER, paper->size_most_bytes);
}

int figure_paper_13(FILE *csv, const struct figure_paper *paper)
{
    print_head(csv);
    return figure_on_servers(csv, paper, against_banked);
}

int figure_13(FILE *csv, const struct settings *settings)
{
    (void)settings;
    return figure_paper_13(csv, &figure_as_it_is);
}
