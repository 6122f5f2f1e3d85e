#include "model/numbering.h"

#include <errno.h>

int numbering_check(const struct numbering *numbering, uint32_t procs)
{
    for (uint32_t rank = 0; rank < procs; rank++) {
        uint32_t v = numbering_virtual(numbering, rank);
        /* Every rank comes back from a number of its own, so no number is taken twice. */
        if (v >= procs || numbering_rank(numbering, v) != rank)
            return -EINVAL;
    }
    return 0;
}
