#include "model/protocol/others.h"

void others_order(uint32_t procs, uint32_t rank, const uint32_t *domain_of_rank, uint32_t *others)
{
    uint32_t n = 0;
    for (int near = 1; near >= 0; near--)
        for (uint32_t i = 1; i < procs; i++) {
            uint32_t other = (uint32_t)(((uint64_t)rank + i) % procs);
            if ((domain_of_rank[other] == domain_of_rank[rank]) == near)
                others[n++] = other;
        }
}
