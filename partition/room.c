/* Whether there is memory for what a library will allocate: its addresses are taken at once, and given back. */
#include "partition/strategies.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

enum { ROOM_GRAPHS = 4, ROOM_LEAST_BYTES = 4 << 20 }; /* both libraries take less than three graphs and a few tables */

int partition_room(size_t graph_bytes)
{
    if (graph_bytes > (SIZE_MAX - ROOM_LEAST_BYTES) / ROOM_GRAPHS)
        return -ENOMEM;
    size_t bytes = ROOM_GRAPHS * graph_bytes + ROOM_LEAST_BYTES;
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return -ENOMEM;
    munmap(room, bytes);
    return 0;
}
