/* The keys of a network file, once for its reader and its writer. */
#ifndef SHMCOLL_MODEL_FORMATS_NETWORK_FIELDS_H
#define SHMCOLL_MODEL_FORMATS_NETWORK_FIELDS_H

#include "model/formats/node_fields.h"
#include "model/network.h"

/* Of the kinds of field there are, FIELD_COUNT is a uint32_t and FIELD_FLAG stands for a real number. */
struct network_field {
    struct node_field field; /* offset in struct network */
    int of_tree;             /* only of NETWORK_FAT_TREE */
};

enum { NETWORK_FIELD_COUNT = 15, NETWORK_LAYER_KEYS = 3 };
enum network_field_key {
    NETWORK_KEY_VERSION, NETWORK_KEY_NAME, NETWORK_KEY_DESCRIPTION, NETWORK_KEY_KIND, NETWORK_KEY_LATENCY, NETWORK_KEY_OVERHEAD,
    NETWORK_KEY_GAP, NETWORK_KEY_BYTE, NETWORK_KEY_RECEIVER_GAP, NETWORK_KEY_LEVELS, NETWORK_KEY_RADIX,
    NETWORK_KEY_OVERSUBSCRIPTION, NETWORK_KEY_SWITCH, NETWORK_KEY_LINK_BYTE, NETWORK_KEY_LAYERS,
};
extern const struct network_field network_fields[NETWORK_FIELD_COUNT];
/* Offsets in struct network_layer. */
extern const struct node_field network_layer_fields[NETWORK_LAYER_KEYS];

#endif
