/* Whether there is memory for what a library will allocate: taken at once, and given back. */
#include "partition/strategies.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

enum { ROOM_GRAPHS = 4, ROOM_LEAST_BYTES = 4 << 20 }; /* both libraries take less than three graphs and a few tables */

int partition_room(size_t graph_bytes)
{
    if (graph_bytes > (SIZE_MAX - ROOM_LEAST_BYTES) / ROOM_GRAPHS)
        return -ENOMEM;
    void *volatile room = malloc(ROOM_GRAPHS * graph_bytes + ROOM_LEAST_BYTES); /* volatile: nobody leaves it out as unused */
    int error = room ? 0 : -ENOMEM;
    free(room);
    return error;
}
