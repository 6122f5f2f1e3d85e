/* Figures 12 and 13: the paper's broadcast against its peers' on the presets of its servers, every rank in turn as the root. */
#include "experiments/figure.h"

#include <string.h>

static const struct tree_shape FLAT = {TREE_FLAT, 0}, BINARY = {TREE_KARY, 2}, QUAD = {TREE_KARY, 4};

/* What of a peer's set-up is taken over: its protocol; where its queues lie; that rank 0 alone sends, and is sent to before. */
enum peer_setup { PEER_PROTOCOL, PEER_QUEUES, PEER_LEADER, PEER_SETUPS };
static const char *const setup_names[PEER_SETUPS] = {"protocol", "queues", "leader"};

static int ours(const struct node *node, uint32_t procs, uint64_t size_bytes, double *time_s)
{
    struct figure_point point = {.node = node, .procs = procs, .size_bytes = size_bytes, .fragment_bytes = 8192, .slots = 64,
                                 .sets = 1, .tree = BINARY, .root_shift = 1};
    return figure_mean("sim", "", &point, time_s);
}

/* A message from a root to rank 0 ahead of the broadcast: two ranks on the cores of these, and a queue between them. */
static int hop(const struct node *node, uint32_t procs, uint64_t size_bytes, double *mean_s)
{
    double sum_s = 0;
    for (uint32_t root = 1; root < procs; root++) {
        char place[32];
        double time_s;
        snprintf(place, sizeof place, "list:%u,0", root);
        struct figure_point point = {.node = node, .procs = 2, .size_bytes = size_bytes, .fragment_bytes = 8192, .slots = 64,
                                     .sets = 1, .tree = FLAT, .place = place};
        int code = figure_mean("sim", "", &point, &time_s);
        if (code)
            return code;
        sum_s += time_s;
    }
    *mean_s = sum_s / procs;
    return 0;
}

static int peer_time(const struct figure_point *peer, enum peer_setup setup, double *time_s)
{
    struct figure_point point = *peer;
    point.queues_together = setup == PEER_QUEUES;
    point.root_shift = setup != PEER_LEADER;
    int code = figure_mean("sim", "", &point, time_s);
    if (code || setup != PEER_LEADER)
        return code;
    double hop_s = 0;
    code = hop(peer->node, peer->procs, peer->size_bytes, &hop_s);
    *time_s += hop_s;
    return code;
}

static int against(FILE *csv, const char *node_name, struct figure_point peer, int setups)
{
    struct node node;
    int code = figure_node(node_name, &node);
    if (code)
        return code;
    peer.node = &node;
    fprintf(csv, "setup,size_bytes,time_s,peer_s,relative\n");
    for (int setup = 0; setup < setups && !code; setup++)
        for (peer.size_bytes = 64; peer.size_bytes <= 16 << 20 && !code; peer.size_bytes *= 2) {
            double own_s, peer_s;
            code = ours(&node, peer.procs, peer.size_bytes, &own_s);
            code = code ? code : peer_time(&peer, (enum peer_setup)setup, &peer_s);
            if (!code)
                fprintf(csv, "%s,%llu,%.9g,%.9g,%.9g\n", setup_names[setup], (unsigned long long)peer.size_bytes, own_s, peer_s,
                        own_s / peer_s);
        }
    node_destroy(&node);
    return code;
}

int figure_12(FILE *csv, const struct settings *settings)
{
    struct figure_point peer = {.procs = 8, .fragment_bytes = 8192, .slots = 128, .sets = 1, .tree = FLAT,
                                .protocol = &protocol_slot_ring};
    (void)settings;
    return against(csv, "nehalem-2x4", peer, PEER_SETUPS);
}

/* coll/sm has no leader. */
int figure_13(FILE *csv, const struct settings *settings)
{
    struct figure_point peer = {.procs = 16, .fragment_bytes = 8192, .slots = 8, .sets = 2, .tree = QUAD,
                                .protocol = &protocol_banked};
    (void)settings;
    return against(csv, "broadwell-2x8", peer, PEER_LEADER);
}
