/* Network files: struct network as YAML, to be written by hand; `shmcoll topo --network NAME` prints any network as one.
 *
 *   kind: fat_tree                  loggp (nothing is shared), switch or fat_tree
 *   latency_ns: 700                 L: from port to port through one switch; this and the next three must be there
 *   overhead_ns: {value: 150, low: 100, high: 200, source: "measured"}    o: of a core, at each end
 *   gap_ns: 50                      g: of a sending port between two messages
 *   byte_ns: 0.04                   G: of each byte but the first
 *   receiver_gap_ns: 50             of a receiving port; as gap_ns if left out
 *   levels: 2                       of switches; this and the rest only of fat_tree
 *   radix: 40                       ports of a switch
 *   oversubscription: 1             links down to links up, of the switches that nodes are at
 *   switch_ns: 130                  of each switch beyond the first; 0 if left out
 *   link_byte_ns: 0.04              of links between switches; as byte_ns if left out
 *   layers:                         software on top, to be chosen by NAME:LAYER: their o and g
 *   - {name: mpi, overhead_ns: 200, gap_ns: 180}
 *
 * A file written and read again gives the same struct, bit by bit. */
#ifndef SHMCOLL_MODEL_FORMATS_NETWORK_YAML_H
#define SHMCOLL_MODEL_FORMATS_NETWORK_YAML_H

#include "model/network.h"

#include <stddef.h>

/* `path` is for messages. 0; -EINVAL with "PATH:LINE:COL: what, what to try" in reason; -EFBIG, -ENOMEM. */
int network_yaml_parse(const char *path, const char *text, size_t bytes, struct network *out, char *reason, size_t reason_bytes);

/* The file's text in *text, to be freed. 0 or -ENOMEM. */
int network_yaml_format(const struct network *network, char **text, size_t *bytes);

#endif
