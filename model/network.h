/* A network: what joins nodes, and what a message from one to another costs.
 *
 * As of a node, every number carries an interval and a source. The kind says what messages share:
 *   NETWORK_LOGGP  nothing but the ports of the two ranks (model/loggp.h): contention-free
 * A filled network is plain data: it may be copied, and read by all threads. */
#ifndef SHMCOLL_MODEL_NETWORK_H
#define SHMCOLL_MODEL_NETWORK_H

#include "model/loggp.h"
#include "model/node.h"

#include <stddef.h>

enum network_kind { NETWORK_LOGGP };

struct network {
    char name[NODE_NAME_BYTES];
    enum network_kind kind;
    struct quantity latency_ns;      /* L: from port to port */
    struct quantity overhead_ns;     /* o: of a core, at each end of a message */
    struct quantity gap_ns;          /* g: of a sending port, after the last byte of a message */
    struct quantity receiver_gap_ns; /* gr: of a receiving port */
    struct quantity byte_ns;         /* G: of each byte but the first */
};

/* What a network is called: "loggp", or "loggp:L=2500ns,o=1500ns,g=1000ns,G=6ns,gr=1000ns", of which what is left out keeps its
 * default, and gr that of g. Times have a unit: ps, ns, us, ms or s; G is that of a byte. 0, or -EINVAL with one line in
 * `reason`. */
int network_parse(const char *text, struct network *out, char *reason, size_t reason_bytes);
/* All of it in that form. */
const char *network_format(const struct network *network, char *text, size_t text_bytes);
/* Its costs in the simulator's time, to the nearest picosecond, G to the nearest femtosecond. */
struct loggp network_loggp(const struct network *network);

#endif
