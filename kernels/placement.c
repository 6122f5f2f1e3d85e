#include "kernels/placement.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int placement_pin(uint32_t cpu_os)
{
    size_t bytes = CPU_ALLOC_SIZE(cpu_os + 1);
    cpu_set_t *set = CPU_ALLOC(cpu_os + 1);
    if (!set)
        return -ENOMEM;
    CPU_ZERO_S(bytes, set);
    CPU_SET_S(cpu_os, bytes, set);
    int error = sched_setaffinity(0, bytes, set) ? -errno : 0;
    CPU_FREE(set);
    return error;
}

int placement_allowed(uint64_t mask[PLACEMENT_MASK_WORDS])
{
    memset(mask, 0, PLACEMENT_MASK_WORDS * sizeof *mask);
    return sched_getaffinity(0, PLACEMENT_MASK_WORDS * sizeof *mask, (cpu_set_t *)(void *)mask) ? -errno : 0;
}

int placement_pin_try(void)
{
    uint64_t mask[PLACEMENT_MASK_WORDS];
    int error = placement_allowed(mask);
    if (error)
        return error;
    return sched_setaffinity(0, sizeof mask, (cpu_set_t *)(void *)mask) ? -errno : 0;
}

int placement_domain_here(void)
{
    unsigned cpu, domain;
    return syscall(SYS_getcpu, &cpu, &domain, NULL) ? -1 : (int)domain;
}

/* The allowed domain nearest to the one given, the lowest-numbered of several; the domain itself if nothing is known. */
static int nearest_allowed(const struct bitmask *allowed, int domain_os)
{
    int best = domain_os, best_distance = 0;
    for (int d = 0; d <= numa_max_node(); d++) {
        int distance = numa_distance(domain_os, d);
        if (!numa_bitmask_isbitset(allowed, (unsigned)d) || distance <= 0 || (best_distance && distance >= best_distance))
            continue;
        best = d;
        best_distance = distance;
    }
    return best;
}

int placement_domain_with_memory(int domain_os)
{
    if (domain_os < 0 || numa_available() < 0 || domain_os > numa_max_node())
        return domain_os;
    struct bitmask *allowed = numa_allocate_nodemask();
    if (!allowed)
        return domain_os;
    /* numa_get_mems_allowed would print if the kernel refuses. */
    if (get_mempolicy(NULL, allowed->maskp, allowed->size + 1, NULL, MPOL_F_MEMS_ALLOWED) == 0 &&
        !numa_bitmask_isbitset(allowed, (unsigned)domain_os))
        domain_os = nearest_allowed(allowed, domain_os);
    numa_bitmask_free(allowed);
    return domain_os;
}

/* Preferred, not bound: under MPOL_BIND a full domain ends in the out-of-memory killer, not in an error.
 * Pages that had to go elsewhere are what the audit finds. */
int placement_bind(void *base, uint64_t bytes, int domain_os)
{
    if (domain_os < 0 || numa_available() < 0)
        return -ENOTSUP;
    struct bitmask *domains = numa_allocate_nodemask();
    if (!domains)
        return -ENOMEM;
    int error = (unsigned long)domain_os >= domains->size ? -EINVAL : 0;
    if (!error) {
        numa_bitmask_setbit(domains, (unsigned)domain_os);
        error = mbind(base, bytes, MPOL_PREFERRED, domains->maskp, domains->size + 1, 0) ? -errno : 0;
    }
    numa_bitmask_free(domains);
    return error == -EPERM || error == -ENOSYS ? -ENOTSUP : error;
}

int placement_bind_try(void)
{
    if (numa_available() < 0)
        return 0;
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct bitmask *domains = numa_allocate_nodemask();
    int error = page == MAP_FAILED || !domains ? -ENOMEM : 0;
    if (!error) {
        numa_bitmask_setbit(domains, (unsigned)placement_domain_with_memory(0));
        error = mbind(page, bytes, MPOL_PREFERRED, domains->maskp, domains->size + 1, 0) ? -errno : 0;
    }
    if (domains)
        numa_bitmask_free(domains);
    if (page != MAP_FAILED)
        munmap(page, bytes);
    return error == -ENOSYS ? 0 : error;
}

int placement_prefer(int domain_os)
{
    if (numa_available() < 0)
        return -ENOTSUP;
    if (domain_os < 0)
        numa_set_localalloc();
    else
        numa_set_preferred(placement_domain_with_memory(domain_os));
    return 0;
}

enum { AUDIT_BATCH = 256 };

int placement_audit_range(void *base, uint64_t bytes, uint64_t page_bytes, int domain_os, struct placement_audit *out)
{
    void *page[AUDIT_BATCH];
    int status[AUDIT_BATCH];
    uint64_t offset = 0;
    while (offset < bytes) {
        unsigned long n = 0;
        for (; n < AUDIT_BATCH && offset < bytes; n++, offset += page_bytes)
            page[n] = (char *)base + offset;
        if (move_pages(0, n, page, NULL, status, 0))
            return errno == EPERM || errno == ENOSYS ? -ENOTSUP : -errno;
        out->pages += n;
        for (unsigned long i = 0; i < n; i++)
            out->misplaced += status[i] != domain_os;
    }
    return 0;
}
