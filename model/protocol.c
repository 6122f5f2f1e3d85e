#include "model/protocol.h"

#include <string.h>

const struct protocol *const protocol_table[] = {
    &protocol_pipelined,   &protocol_eager,     &protocol_counted, &protocol_single_copy,    &protocol_cooperative,
    &protocol_shared_source, &protocol_slot_ring, &protocol_banked,  &protocol_release_gather, NULL};

const struct protocol *const protocol_allgather_table[] = {&protocol_direct, &protocol_direct_line, &protocol_shared_blocks,
                                                           NULL};

static const struct protocol *find(const struct protocol *const *table, const char *name)
{
    for (; *table; table++)
        if (strcmp((*table)->name, name) == 0)
            return *table;
    return NULL;
}

const struct protocol *protocol_find(const char *name)
{
    return find(protocol_table, name);
}

const struct protocol *protocol_allgather_find(const char *name)
{
    return find(protocol_allgather_table, name);
}
