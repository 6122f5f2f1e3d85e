/* A network: what joins nodes, and what a message from one to another costs.
 *
 * As of a node, every number carries an interval and a source. The kind says what messages share:
 *   NETWORK_LOGGP     nothing but the ports of the two ranks (model/loggp.h): contention-free
 *   NETWORK_SWITCH    the NICs of their nodes, one way in and one out, joined by one switch
 *   NETWORK_FAT_TREE  those, and the links between the switches of a fat tree (model/fat_tree.h)
 * A message that shares nothing takes as long on all of them, but for the switches beyond the first.
 * A filled network is plain data: it may be copied, and read by all threads. */
#ifndef SHMCOLL_MODEL_NETWORK_H
#define SHMCOLL_MODEL_NETWORK_H

#include "model/fat_tree.h"
#include "model/loggp.h"
#include "model/node.h"

#include <stddef.h>

enum network_kind { NETWORK_LOGGP, NETWORK_SWITCH, NETWORK_FAT_TREE, NETWORK_KIND_COUNT };
enum { NETWORK_LAYERS_MAX = 8 };

/* Software on top of the network: with it messages cost these instead. Unknown: as without. */
struct network_layer {
    char name[24];
    struct quantity overhead_ns, gap_ns;
};

struct network {
    char name[NODE_NAME_BYTES];
    char description[160];
    enum network_kind kind;
    struct quantity latency_ns;      /* L: from port to port, through one switch */
    struct quantity overhead_ns;     /* o: of a core, at each end of a message */
    struct quantity gap_ns;          /* g: of a sending port, after the last byte of a message */
    struct quantity receiver_gap_ns; /* gr: of a receiving port */
    struct quantity byte_ns;         /* G: of each byte but the first */
    /* NETWORK_FAT_TREE */
    struct quantity switch_ns;    /* of each switch beyond the first; unknown: 0 */
    struct quantity link_byte_ns; /* of a link between switches; unknown: as byte_ns */
    uint32_t levels, radix;
    double oversubscription; /* links down to up of the switches that nodes are at: >= 1 */
    struct network_layer layer[NETWORK_LAYERS_MAX];
    uint32_t layers;
};

/* "loggp", "switch", "fat_tree". */
const char *network_kind_name(enum network_kind kind);

/* What a network is called: "loggp", or "loggp:L=2500ns,o=1500ns,g=1000ns,G=6ns,gr=1000ns", of which what is left out keeps its
 * default, and gr that of g; likewise "switch". Times have a unit: ps, ns, us, ms or s; G is that of a byte. 0, or -EINVAL with
 * one line in `reason`. */
int network_parse(const char *text, struct network *out, char *reason, size_t reason_bytes);
/* All of it in that form; of a network with a name of its own that name. */
const char *network_format(const struct network *network, char *text, size_t text_bytes);
/* Its costs in the simulator's time, to the nearest picosecond, G to the nearest femtosecond. */
struct loggp network_loggp(const struct network *network);
/* Of a link between switches, and of a switch beyond the first. */
uint64_t network_link_byte_fs(const struct network *network);
uint64_t network_switch_ps(const struct network *network);
/* Its links for so many nodes; of a contention-free network those of a switch. 0, or -EINVAL with one line in `reason` if there
 * is no room for them. */
int network_tree(const struct network *network, uint32_t nodes, struct fat_tree *out, char *reason, size_t reason_bytes);
/* The layer of that name takes the place of overhead and gap; the network's name says so. 0, or -ENOENT. */
int network_layer_apply(struct network *network, const char *name);

#endif
