#include "kernels/segment.h"

#include "kernels/memory_room.h"
#include "kernels/placement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; before, it fails and huge pages come later or never */
#endif

enum { HUGE_ADVISED_BYTES = 2 << 20 };

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static int add(uint64_t *sum, uint64_t count, uint64_t each_bytes)
{
    uint64_t product;
    int overflow = __builtin_mul_overflow(count, each_bytes, &product);
    overflow |= __builtin_add_overflow(*sum, product, sum);
    return overflow || *sum > INT64_MAX ? -EOVERFLOW : 0;
}

/* Places lanes, areas and head one after another; ranks' ranges move apart so that each starts on a page of the size in use. */
static int plan_pad(struct segment_plan *plan, uint64_t unit_bytes)
{
    uint64_t at = 0;
    int error = 0;
    plan->unit_bytes = unit_bytes;
    for (uint32_t i = 0; i < plan->lanes && !error; i++) {
        struct segment_layout *l = &plan->layout[i];
        plan->lane_offset[i] = at;
        l->ranks_offset = round_up(l->ranks_offset, unit_bytes);
        l->rank_bytes = round_up(l->rank_bytes, unit_bytes);
        error = add(&at, 1, l->ranks_offset);
        if (!error)
            error = add(&at, l->procs, l->rank_bytes);
        l->total_bytes = at - plan->lane_offset[i];
    }
    plan->areas_offset = at;
    plan->area_bytes = round_up(plan->area_bytes, unit_bytes);
    if (!error)
        error = add(&at, plan->procs, plan->area_bytes);
    plan->head_offset = at;
    uint64_t head_bytes = sizeof(struct segment_head) + plan->procs * sizeof(struct segment_leave);
    if (!error)
        error = add(&at, 1, round_up(head_bytes, unit_bytes));
    plan->total_bytes = at;
    return error;
}

/* Whether the kernel turns advice into huge pages for shared memory. */
static int huge_advice_works(void)
{
    char text[128] = "";
    FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "re");
    if (!f)
        return 0;
    char *got = fgets(text, sizeof text, f);
    fclose(f);
    return got && (strstr(text, "[advise]") || strstr(text, "[always]") || strstr(text, "[within_size]"));
}

static int plan_huge(struct segment_plan *plan)
{
    struct segment_plan padded = *plan;
    uint64_t page_bytes, free_bytes = memory_room_huge_bytes(&page_bytes);
    if (page_bytes && plan_pad(&padded, page_bytes) == 0 && padded.total_bytes <= free_bytes) {
        padded.hugetlb = 1;
        *plan = padded;
        return 0;
    }
    if (huge_advice_works() && plan_pad(&padded, HUGE_ADVISED_BYTES) == 0) {
        padded.advise_huge = 1;
        *plan = padded;
        return 0;
    }
    snprintf(plan->note, sizeof plan->note,
             "no huge pages: %llu KiB of them free (vm.nr_hugepages), and shmem_enabled does not take advice",
             (unsigned long long)(free_bytes / 1024));
    return plan_pad(plan, plan->page_bytes);
}

static int plan_lane(const struct segment_options *o, uint32_t lane, uint32_t page_bytes, struct segment_layout *out)
{
    const struct segment_shape *shape = &o->shape[lane];
    int paper = o->control_pages && lane == 0;
    int error = paper ? segment_layout_paper(shape->procs, shape->slots, shape->sets, shape->fragment_bytes, page_bytes, out)
                      : segment_layout_packed(shape, page_bytes, out);
    return error ? -EOVERFLOW : 0; /* checked parameters can only be too large */
}

int segment_plan_make(const struct segment_options *o, struct segment_plan *out)
{
    struct segment_plan plan = {.lanes = o->lanes, .procs = o->procs, .area_bytes = o->area_bytes};
    long page = sysconf(_SC_PAGESIZE);
    int error = o->lanes > 0 && o->lanes <= SEGMENT_LANES_MAX && o->procs > 0 && o->area_bytes < INT64_MAX / 2 ? 0 : -EINVAL;
    plan.page_bytes = page > 0 ? (uint32_t)page : 4096;
    for (uint32_t i = 0; i < o->lanes && !error; i++)
        error = plan_lane(o, i, plan.page_bytes, &plan.layout[i]);
    if (!error)
        error = o->huge_pages ? plan_huge(&plan) : plan_pad(&plan, plan.page_bytes);
    if (!error)
        *out = plan;
    return error;
}

static int check_room(const struct segment_plan *plan, char *reason)
{
    uint64_t room = plan->hugetlb ? UINT64_MAX : memory_room_bytes(), file_room = memory_room_file_bytes();
    uint64_t usable = room - room / 16; /* the rest of the system goes on allocating */
    if (plan->total_bytes <= usable && plan->total_bytes <= file_room)
        return 0;
    const struct segment_layout *largest = &plan->layout[0];
    for (uint32_t i = 1; i < plan->lanes; i++)
        if (plan->layout[i].total_bytes >= largest->total_bytes)
            largest = &plan->layout[i];
    snprintf(reason, SEGMENT_REASON_BYTES, "segment of %llu KiB (%u ranks x %u slots x %u bytes) does not fit: %llu KiB %s",
             (unsigned long long)(plan->total_bytes / 1024), plan->procs, largest->slots, largest->fragment_bytes,
             (unsigned long long)((usable < file_room ? usable : file_room) / 1024),
             usable < file_room ? "of memory available" : "is the file size limit (ulimit -f)");
    return -ENOMEM;
}

int segment_file_create(const struct segment_plan *plan, int *fd, char reason[SEGMENT_REASON_BYTES])
{
    int error = check_room(plan, reason);
    if (error)
        return error;
    unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING | (plan->hugetlb ? MFD_HUGETLB : 0);
    int file = memfd_create("shmcoll", flags);
    if (file < 0)
        error = -errno;
    else if (ftruncate(file, (off_t)plan->total_bytes))
        error = -errno;
    /* Sealed, so that nobody who holds the descriptor can cut the file and turn accesses into SIGBUS. */
    else if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        error = -errno;
    if (error) {
        snprintf(reason, SEGMENT_REASON_BYTES, "cannot create a memory file of %llu KiB: %s",
                 (unsigned long long)(plan->total_bytes / 1024), strerror(-error));
        if (file >= 0)
            close(file);
        return error;
    }
    *fd = file;
    return 0;
}

/* Address space for the segment with a page nobody may touch on either side, so that running past its ends is a fault and not
 * a write to somebody's memory. NULL if there is none. */
static char *reserve(const struct segment_plan *plan)
{
    uint64_t unit = plan->unit_bytes, bytes = plan->total_bytes + 3 * unit;
    char *space = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        return NULL;
    char *at = space + unit + (unit - ((uintptr_t)space & (unit - 1))) % unit, *end = at + plan->total_bytes + unit;
    if (at - unit > space)
        munmap(space, (size_t)(at - unit - space));
    if (end < space + bytes)
        munmap(end, (size_t)(space + bytes - end));
    return at;
}

int segment_map(const struct segment_plan *plan, int fd, void **base, char reason[SEGMENT_REASON_BYTES])
{
    char *space = reserve(plan);
    void *at = space ? mmap(space, plan->total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) : MAP_FAILED;
    if (at == MAP_FAILED) {
        int error = -errno;
        if (space)
            segment_unmap(plan, space);
        snprintf(reason, SEGMENT_REASON_BYTES, "cannot map a segment of %llu KiB: %s",
                 (unsigned long long)(plan->total_bytes / 1024), strerror(-error));
        return error;
    }
    /* Readahead would allocate the pages that follow a touched one on the toucher's domain. Memory files have
     * none, but a kernel that faults around would be asked the same way. Advice: failure does not matter. */
    madvise(at, plan->total_bytes, MADV_RANDOM);
    if (plan->advise_huge)
        madvise(at, plan->total_bytes, MADV_HUGEPAGE);
    *base = at;
    return 0;
}

void segment_unmap(const struct segment_plan *plan, void *base)
{
    munmap((char *)base - plan->unit_bytes, plan->total_bytes + 2 * plan->unit_bytes);
}

struct segment_range segment_range_of_rank(const struct segment_plan *plan, uint32_t lane, uint32_t rank)
{
    const struct segment_layout *l = &plan->layout[lane];
    return (struct segment_range){plan->lane_offset[lane] + l->ranks_offset + rank * l->rank_bytes, l->rank_bytes};
}

struct segment_range segment_range_leading(const struct segment_plan *plan, uint32_t lane)
{
    return (struct segment_range){plan->lane_offset[lane], plan->layout[lane].ranks_offset};
}

struct segment_range segment_range_area(const struct segment_plan *plan, uint32_t rank)
{
    return (struct segment_range){plan->areas_offset + rank * plan->area_bytes, plan->area_bytes};
}

struct segment_range segment_range_head(const struct segment_plan *plan)
{
    return (struct segment_range){plan->head_offset, plan->total_bytes - plan->head_offset};
}

int segment_range_allocate(const struct segment_plan *plan, void *base, int fd, struct segment_range range, int domain_os,
                           char reason[SEGMENT_REASON_BYTES])
{
    char *at = (char *)base + range.offset;
    if (range.bytes == 0)
        return 0;
    int error = placement_bind(at, range.bytes, domain_os);
    if (error && error != -ENOTSUP) {
        snprintf(reason, SEGMENT_REASON_BYTES, "cannot bind memory to domain %d: %s", domain_os, strerror(-error));
        return error;
    }
    /* fallocate knows nothing of advice given to a mapping and would take small pages. What this leaves, it takes or reports. */
    if (plan->advise_huge)
        madvise(at, range.bytes, MADV_POPULATE_WRITE);
    while (fallocate(fd, 0, (off_t)range.offset, (off_t)range.bytes)) {
        if (errno == EINTR)
            continue;
        error = errno == ENOSPC ? -ENOMEM : -errno;
        snprintf(reason, SEGMENT_REASON_BYTES, "cannot allocate %llu KiB of the segment: %s",
                 (unsigned long long)(range.bytes / 1024), strerror(-error));
        return error;
    }
    uint64_t step = plan->hugetlb ? plan->unit_bytes : plan->page_bytes;
    for (uint64_t i = 0; i < range.bytes; i += step)
        at[i] = 0;
    return 0;
}
