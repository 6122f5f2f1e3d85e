/* Network interfaces and the links between them, in simulated time: model/nic.h told event by event.
 *
 * An operation is given by one rank and is about another. A packet for a queue and an immediate put cross once. A put's
 * descriptor makes the own interface read memory, a get's the other's; what is read goes in pieces, some of which are on their
 * way at any time. Ranks of a node, rank after rank, have one interface. Every stage of a node takes what comes in the order in
 * which it comes. Who is told: of packets and puts the other rank; of a get the one who gave it, when the last byte is in its
 * memory, and the other, when the last one has left.
 *
 * The owner's queue has the events, of the kind SIM_NIC_EVENT, and the owner gives them back to sim_nic_advance(). */
#ifndef SHMCOLL_SIM_NIC_H
#define SHMCOLL_SIM_NIC_H

#include "model/nic.h"
#include "model/scenario.h"
#include "sim/sim_pool.h"
#include "sim/sim_queue.h"

enum { SIM_NIC_EVENT = 1 }; /* as the event's generation */

enum sim_nic_verb { SIM_NIC_PACKET, SIM_NIC_IMMEDIATE, SIM_NIC_PUT, SIM_NIC_GET };

struct sim_nic_op {
    uint32_t next; /* spare */
    enum sim_nic_verb verb;
    uint32_t from, to;
    uint64_t bytes;
    void *subject; /* the owner's */
    uint64_t read_bytes, left_bytes, come_bytes; /* asked of memory; gone into the link; there */
    uint32_t pieces, pieces_left, pieces_come, pieces_asked;
    uint32_t told; /* still to be told of */
};

struct sim_nic_piece {
    uint32_t next; /* spare */
    uint32_t op, hop;
    const struct sim_nic_hop *route;
    uint64_t bytes, first_ps, last_ps;
};

struct sim_nic {
    struct nic_ps costs;
    struct sim_queue *queue;
    struct trace_sink *sink; /* NULL: none */
    uint32_t ppn; /* ranks of a node: >= 1 */
    uint64_t base_ps;       /* of the trace */
    uint64_t *free_ps;      /* [node*NIC_STAGE_COUNT + stage] */
    uint64_t passed_bytes;  /* over links, heads and all */
    struct sim_pool ops, pieces; /* of sim_nic_op and sim_nic_piece */
    int error;
};

/* Who is told of what. */
struct sim_nic_told {
    uint32_t rank;
    enum sim_nic_verb verb;
    int giver; /* it gave the operation */
    void *subject;
};

int sim_nic_create(struct sim_nic *nic, const struct nic_ps *costs, uint32_t ranks, uint32_t ppn, struct sim_queue *queue);
void sim_nic_destroy(struct sim_nic *nic);
/* What a rank has written to its interface by then. `bytes` without head. Errors stay in nic->error. */
void sim_nic_post(struct sim_nic *nic, enum sim_nic_verb verb, uint32_t from, uint32_t to, uint64_t bytes, void *subject,
                  uint64_t at_ps);
/* An event of the queue. 1 if somebody is told now, else 0. */
int sim_nic_advance(struct sim_nic *nic, uint32_t target, uint64_t now_ps, struct sim_nic_told *out);

#endif
