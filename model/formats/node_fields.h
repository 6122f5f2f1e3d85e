/* The keys of a node file, once for its reader and its writer. */
#ifndef SHMCOLL_MODEL_FORMATS_NODE_FIELDS_H
#define SHMCOLL_MODEL_FORMATS_NODE_FIELDS_H

#include "model/node.h"

#include <stddef.h>
#include <stdint.h>

enum node_field_kind {
    FIELD_VERSION,
    FIELD_TEXT,
    FIELD_COUNT,       /* uint32_t that sizes the arrays: domains, sockets, cores */
    FIELD_BYTES32,     /* uint32_t */
    FIELD_BYTES64,     /* uint64_t */
    FIELD_FLAG,        /* int */
    FIELD_QUANTITY,
    FIELD_QUANTITIES,  /* a mapping of quantities: handover_ns, paper */
    FIELD_COPY,        /* a mapping of copy classes */
    FIELD_CORE_LIST,   /* uint32_t *[core] */
    FIELD_DOMAIN_LIST, /* uint32_t *[domain] */
    FIELD_DOMAIN_BYTES, /* uint64_t *[domain] */
    FIELD_DISTANCE,    /* double *[domain * domain] */
    FIELD_PAIRS,       /* double *[core * core], may be NULL */
    FIELD_COPY_POINTS,
    FIELD_BANDWIDTH
};

struct node_field {
    const char *name;
    enum node_field_kind kind;
    size_t offset;
    double min, max; /* of a number; of a text the room for it */
};

enum { NODE_FIELD_COUNT = 43, QUANTITY_GROUP_MAX = 4 };
extern const struct node_field node_fields[NODE_FIELD_COUNT];

/* A quantity by its key in a mapping, at an offset in some struct. */
struct quantity_key {
    const char *name;
    size_t offset;
};
/* Those of a FIELD_QUANTITIES field, offsets in struct node; returns how many. */
size_t node_field_group(const struct node_field *field, struct quantity_key keys[QUANTITY_GROUP_MAX]);
/* Those of a copy class, offsets in struct copy_cost. */
enum { COPY_KEY_COUNT = 2 };
extern const struct quantity_key copy_cost_keys[COPY_KEY_COUNT];

/* Calls `see` for every quantity of the node, known or not, in file order: "handover_ns.same_cache",
 * "copy.in_cold.s_per_byte", "bandwidth.4.bytes_per_s"; copy points are left to who wants the table. */
typedef void node_quantity_see(void *context, const char *name, const struct quantity *quantity);
void node_quantities_walk(const struct node *node, node_quantity_see *see, void *context);

static inline const void *node_field_at(const struct node_field *field, const struct node *node)
{
    return (const char *)node + field->offset;
}

#endif
