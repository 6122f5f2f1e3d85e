#include "model/protocol.h"

#include <string.h>

const struct protocol *const protocol_table[] = {
    &protocol_pipelined,   &protocol_eager,     &protocol_counted, &protocol_single_copy,    &protocol_cooperative,
    &protocol_shared_source, &protocol_slot_ring, &protocol_banked,  &protocol_release_gather, NULL};

const struct protocol *protocol_find(const char *name)
{
    for (const struct protocol *const *p = protocol_table; *p; p++)
        if (strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}
