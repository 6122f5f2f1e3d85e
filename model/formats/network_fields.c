#include "model/formats/network_fields.h"

#define AT(member) offsetof(struct network, member)
#define OF_LAYER(member) offsetof(struct network_layer, member)
#define ROOM(type, member) sizeof((type *)0)->member
#define MOST_NS 1e9

const struct network_field network_fields[NETWORK_FIELD_COUNT] = {
    [NETWORK_KEY_VERSION] = {{"shmcoll_network", FIELD_VERSION, 0, 1, 1}, 0},
    [NETWORK_KEY_NAME] = {{"name", FIELD_TEXT, AT(name), 0, ROOM(struct network, name)}, 0},
    [NETWORK_KEY_DESCRIPTION] = {{"description", FIELD_TEXT, AT(description), 0, ROOM(struct network, description)}, 0},
    [NETWORK_KEY_KIND] = {{"kind", FIELD_FLAG, AT(kind), 0, 0}, 0},
    [NETWORK_KEY_LATENCY] = {{"latency_ns", FIELD_QUANTITY, AT(latency_ns), 0, MOST_NS}, 0},
    [NETWORK_KEY_OVERHEAD] = {{"overhead_ns", FIELD_QUANTITY, AT(overhead_ns), 0, MOST_NS}, 0},
    [NETWORK_KEY_GAP] = {{"gap_ns", FIELD_QUANTITY, AT(gap_ns), 0, MOST_NS}, 0},
    [NETWORK_KEY_BYTE] = {{"byte_ns", FIELD_QUANTITY, AT(byte_ns), 0, MOST_NS}, 0},
    [NETWORK_KEY_RECEIVER_GAP] = {{"receiver_gap_ns", FIELD_QUANTITY, AT(receiver_gap_ns), 0, MOST_NS}, 0},
    [NETWORK_KEY_LEVELS] = {{"levels", FIELD_COUNT, AT(levels), 1, FAT_TREE_LEVELS_MAX}, 1},
    [NETWORK_KEY_RADIX] = {{"radix", FIELD_COUNT, AT(radix), 2, FAT_TREE_RADIX_MAX}, 1},
    [NETWORK_KEY_OVERSUBSCRIPTION] = {{"oversubscription", FIELD_FLAG, AT(oversubscription), 1, FAT_TREE_RADIX_MAX}, 1},
    [NETWORK_KEY_SWITCH] = {{"switch_ns", FIELD_QUANTITY, AT(switch_ns), 0, MOST_NS}, 1},
    [NETWORK_KEY_LINK_BYTE] = {{"link_byte_ns", FIELD_QUANTITY, AT(link_byte_ns), 0, MOST_NS}, 1},
    [NETWORK_KEY_LAYERS] = {{"layers", FIELD_COPY, AT(layer), 0, NETWORK_LAYERS_MAX}, 0},
};

const struct node_field network_layer_fields[NETWORK_LAYER_KEYS] = {
    {"name", FIELD_TEXT, OF_LAYER(name), 0, ROOM(struct network_layer, name)},
    {"overhead_ns", FIELD_QUANTITY, OF_LAYER(overhead_ns), 0, MOST_NS},
    {"gap_ns", FIELD_QUANTITY, OF_LAYER(gap_ns), 0, MOST_NS},
};
