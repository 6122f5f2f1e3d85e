/* Placement: cores for processes, domains for memory, and the proof of it.
 *
 * Domains are the operating system's node numbers. Binding is advice to the kernel about pages not
 * yet allocated; the audit asks the kernel where the pages of a mapping really are.
 * Only the launcher pins; nothing else in the library changes affinity. */
#ifndef SHMCOLL_KERNELS_PLACEMENT_H
#define SHMCOLL_KERNELS_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

enum { PLACEMENT_MASK_WORDS = 16 }; /* 1024 cpus */

struct placement_audit {
    uint64_t pages;     /* looked at */
    uint64_t misplaced; /* on another domain than expected, or not allocated at all */
};

/* Pins the calling thread to one of the operating system's cpus. 0 or -errno. */
int placement_pin(uint32_t cpu_os);

/* Whether this thread may set its affinity, tried with the one it has. 0 or -errno. */
int placement_pin_try(void);

/* The cpus this thread may run on. 0 or -errno. */
int placement_allowed(uint64_t mask[PLACEMENT_MASK_WORDS]);

/* The domain of the cpu this thread is on, -1 if unknown. */
int placement_domain_here(void);

/* Where memory near the domain is to be had: the domain itself, or, if it has none or none this process may use (cpuset), the
 * nearest that has. Unchanged if negative, unknown to the system, or without NUMA. */
int placement_domain_with_memory(int domain_os);

/* Pages of [base, base + bytes) not yet allocated shall come from the domain while it has memory.
 * base on a page boundary. 0; -ENOTSUP without NUMA in the kernel or allowed here; other -errno. */
int placement_bind(void *base, uint64_t bytes, int domain_os);

/* Whether memory can be bound here, tried on a page: 0 (also without NUMA in the kernel: there is nothing to bind to), or
 * -errno. */
int placement_bind_try(void);

/* Whatever this thread allocates from now on shall come from the domain; -1: from where it runs. 0; -ENOTSUP. */
int placement_prefer(int domain_os);

/* Adds to *out the pages of [base, base + bytes) by where they are against `domain_os`. The pages
 * must have been touched by the calling process. 0; -ENOTSUP if the kernel cannot or may not be asked; -ENOMEM. */
int placement_audit_range(void *base, uint64_t bytes, uint64_t page_bytes, int domain_os, struct placement_audit *out);

#endif
