/* What a round of a schedule on a network asks of the memories of its nodes, and how long the scarcest of them needs for it.
 *
 * As the simulator has it: a byte read counts one third of a copy, a byte written two, since its line is fetched before; of a
 * domain whose n cores load it in the same half of a round, in which they send, or receive and move, memory copies B(n) bytes a
 * second. NICs read and write beside them, a third of a copy a byte, all together no more than any number of cores gets. What
 * crosses sockets shares the link between them, or, of nodes with one memory, its bus. For one thread at a time. */
#ifndef SHMCOLL_MODEL_NETWORK_MEMORY_H
#define SHMCOLL_MODEL_NETWORK_MEMORY_H

#include "model/message_cost.h"

enum network_half { NETWORK_HALF_OUT, NETWORK_HALF_IN, NETWORK_HALVES }; /* ranks send; they receive, or move */

struct network_load {
    double thirds; /* of bytes copied */
    uint32_t ranks;
};

struct network_memory {
    const struct node *node; /* NULL: nothing is shared, all takes no time */
    uint32_t nodes;
    double most_bytes_per_s;   /* B(n) of any n; infinite where unknown */
    struct network_load *load; /* [(node*domains + domain)*HALVES + half] */
    double *nic_bytes;         /* [node*domains + domain] */
    double *link_bytes;        /* [(node*sockets + socket)*HALVES + half] that come in */
};

/* 0 or -ENOMEM. */
int network_memory_create(struct network_memory *m, const struct node *node, uint32_t nodes);
void network_memory_destroy(struct network_memory *m);

/* Nothing is loaded. */
void network_memory_clear(struct network_memory *m);
/* A message between ranks of that node, by its sender and by its receiver, each once a round at most. In memory: its queue. */
void network_memory_send(struct network_memory *m, uint32_t node, const struct message *message, int in_memory);
void network_memory_receive(struct network_memory *m, uint32_t node, const struct message *message, int in_memory);
/* A rank at that core copies what no cache holds. */
void network_memory_move(struct network_memory *m, uint32_t node, uint32_t core, double bytes);
/* The NIC reads or writes for such a rank. */
void network_memory_nic(struct network_memory *m, uint32_t node, uint32_t core, double bytes);

/* Seconds that the scarcest memory or link needs for the cores' half; and for all that cores and NICs do in both. */
double network_memory_half_s(const struct network_memory *m, enum network_half half);
double network_memory_whole_s(const struct network_memory *m);

#endif
