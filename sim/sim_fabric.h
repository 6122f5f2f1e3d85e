/* The links between nodes, and what messages wait for on them, in integer picoseconds.
 *
 * A message leaves by its node's NIC, passes the links that the network's switches choose (model/fat_tree.h), and enters by the
 * NIC of the other node. Every link has a bandwidth and serves one message after the other, in the order in which their first
 * bytes come to it; between two messages a NIC pauses for the gap, or the receiver gap. Bytes are passed on as they come: a
 * message that meets no other takes as long as by LogGP (model/loggp.h), and `switch_ns` more for each switch beyond the first.
 * Buffers in switches are as large as they need to be: who waits for a link keeps none before it busy.
 *
 * Who has the events calls
 *     sim_fabric_send(...)                              when the NIC is given the message
 *     while (event at message.first_ps taken, sim_fabric_cross(fabric, &message))
 *         put an event at message.first_ps              its first byte is at the next link
 * and then has in message.first_ps and last_ps when the first and the last byte are in the receiver's memory. Calls must come in
 * the order of first_ps, which never falls from call to call of one message; ties are served in the order of the calls.
 * A fabric belongs to one thread. */
#ifndef SHMCOLL_SIM_FABRIC_H
#define SHMCOLL_SIM_FABRIC_H

#include "model/fat_tree.h"
#include "model/network.h"

#include <stddef.h>
#include <stdint.h>

struct sim_fabric_message {
    uint64_t bytes;
    uint64_t first_ps, last_ps; /* its first and last byte here; before a NIC has sent it, both when the NIC is given it */
    uint32_t from_node, to_node;
    uint32_t hop, turn; /* links passed; the level of switch at which it turns */
};

/* A link passed, as a trace shows it. */
struct sim_fabric_crossing {
    uint32_t link, hop, hops;  /* link < fabric->tree.links */
    uint64_t come_ps;          /* the first byte came, and waited until */
    uint64_t start_ps, end_ps; /* the link begins to pass it on; its last byte has passed */
};

struct sim_fabric {
    struct fat_tree tree;
    struct loggp nic;         /* what a message alone costs */
    uint64_t link_byte_fs;    /* between switches */
    uint64_t switch_ps;
    uint64_t *free_ps;        /* [tree.links] */
    uint64_t *link_bytes;     /* [tree.links] that have passed */
    struct sim_fabric_crossing *last; /* NULL, or where sim_fabric_cross() tells what it did */
};

/* For nodes 0..nodes-1 of a network that is not contention-free. 0; -ENOMEM; -EINVAL with one line in `reason` if the
 * network has no room for them. */
int sim_fabric_create(struct sim_fabric *out, const struct network *network, uint32_t nodes, char *reason, size_t reason_bytes);
void sim_fabric_destroy(struct sim_fabric *fabric);
/* All links are free, and nothing has passed. */
void sim_fabric_reset(struct sim_fabric *fabric);

/* The two nodes differ. */
void sim_fabric_send(const struct sim_fabric *fabric, uint32_t from_node, uint32_t to_node, uint64_t bytes, uint64_t at_ps,
                     struct sim_fabric_message *out);
/* From when the NIC is given a message until its last byte is in memory, if it meets no other. The two nodes differ. */
uint64_t sim_fabric_alone_ps(const struct sim_fabric *fabric, uint32_t from_node, uint32_t to_node, uint64_t bytes);
/* From the end of its first link, or of its last, until memory. */
uint64_t sim_fabric_onward_ps(const struct sim_fabric *fabric, const struct sim_fabric_message *message, int last);
/* 1 if there is another link after this one, 0 if the message has arrived. */
int sim_fabric_cross(struct sim_fabric *fabric, struct sim_fabric_message *message);

#endif
