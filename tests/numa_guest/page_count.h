/* Where pages are, asked of the kernel directly rather than through the audit under test, and the map they are
 * held against: which domain each cpu's memory comes from, told by the host from what it told the emulator. */
#ifndef SHMCOLL_TESTS_PAGE_COUNT_H
#define SHMCOLL_TESTS_PAGE_COUNT_H

#include <stdint.h>

enum { COUNT_DOMAINS_MAX = 16, HOMES_MAX = 16 };

struct page_count {
    uint64_t on[COUNT_DOMAINS_MAX]; /* by the operating system's node number */
    uint64_t nowhere;               /* not allocated, or not mapped by this process */
};

struct homes {
    uint32_t cpus, domains; /* domains: one above the highest that has memory */
    uint32_t of_cpu[HOMES_MAX];
};

/* Reads each page of the range, then adds it to *out. 0 or -errno. */
int page_count_range(void *base, uint64_t bytes, uint64_t page_bytes, struct page_count *out);
/* Moves one page, whoever else maps it. 0 or -errno. */
int page_move(void *page, int domain_os);

/* "0,0,1,1": a domain a cpu. 0 or -EINVAL. */
int homes_parse(const char *text, struct homes *out);
/* How many cpus have another home than cpu 0. */
uint32_t homes_away(const struct homes *homes);

#endif
