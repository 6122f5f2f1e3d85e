/* Doctor: memory, its pages and its limits. */
#include "experiments/doctor_checks.h"
#include "experiments/sizes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

void doctor_look_dev_shm(struct doctor_finding *out)
{
    struct statvfs fs;
    if (statvfs("/dev/shm", &fs)) {
        doctor_set(out, DOCTOR_NOTE, "mount -t tmpfs tmpfs /dev/shm, for MPI libraries beside this one", "no /dev/shm: %s",
                   strerror(errno));
        return;
    }
    unsigned long long free_mib = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
    unsigned long long mib = (unsigned long long)fs.f_blocks * fs.f_frsize >> 20;
    doctor_set(out, free_mib < 64 ? DOCTOR_NOTE : DOCTOR_OK,
               free_mib < 64 ? "in a container --shm-size=1g; segments here are memfd and do not need it, MPI libraries do" : "",
               "%llu of %llu MiB free", free_mib, mib);
}

/* The limit of this process's cgroup (version 2, then 1), 0 if there is none. */
static unsigned long long cgroup_memory_mib(void)
{
    static const char *const paths[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    char line[64];
    for (size_t i = 0; i < 2; i++)
        if (doctor_read_line(paths[i], line, sizeof line) == 0) {
            unsigned long long bytes = strtoull(line, NULL, 10);
            return bytes > 0 && bytes < (1ULL << 60) ? bytes >> 20 : 0;
        }
    return 0;
}

void doctor_look_memory(struct doctor_finding *out)
{
    unsigned long long page = (unsigned long long)sysconf(_SC_PAGESIZE);
    unsigned long long free_mib = (unsigned long long)sysconf(_SC_AVPHYS_PAGES) * page >> 20;
    unsigned long long mib = (unsigned long long)sysconf(_SC_PHYS_PAGES) * page >> 20, limit_mib = cgroup_memory_mib();
    char limit[64] = "no cgroup limit";
    if (limit_mib)
        snprintf(limit, sizeof limit, "cgroup limit %llu MiB", limit_mib);
    int tight = limit_mib && limit_mib < mib / 2;
    doctor_set(out, tight ? DOCTOR_NOTE : DOCTOR_OK,
               tight ? "shared memory counts against the cgroup: keep procs * slots * fragment below" : "",
               "%llu of %llu MiB free, %s", free_mib, mib, limit);
}

void doctor_look_thp(struct doctor_finding *out)
{
    char line[128];
    if (doctor_read_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line)) {
        doctor_set(out, DOCTOR_OK, "", "not in this kernel");
        return;
    }
    doctor_pick_bracketed(line);
    int always = strcmp(line, "always") == 0;
    doctor_set(out, always ? DOCTOR_NOTE : DOCTOR_OK,
               always ? "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, or khugepaged works during measurements"
                      : "",
               "%s", line);
}

void doctor_look_thp_shmem(struct doctor_finding *out)
{
    char line[128];
    if (doctor_read_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled", line, sizeof line)) {
        doctor_set(out, DOCTOR_NOTE, "a kernel with CONFIG_TRANSPARENT_HUGEPAGE, if --huge-pages is wanted",
                   "not in this kernel");
        return;
    }
    doctor_pick_bracketed(line);
    int off = strcmp(line, "never") == 0 || strcmp(line, "deny") == 0;
    doctor_set(out, off ? DOCTOR_NOTE : DOCTOR_OK,
               off ? "echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled, if --huge-pages is wanted" : "", "%s",
               line);
}

void doctor_look_hugepages(struct doctor_finding *out)
{
    char total[32] = "0", size[64] = "";
    doctor_read_line("/proc/sys/vm/nr_hugepages", total, sizeof total);
    FILE *file = fopen("/proc/meminfo", "re");
    for (char line[128]; file && fgets(line, sizeof line, file);)
        if (sscanf(line, "Hugepagesize: %40[^\n]", size) == 1)
            break;
    if (file)
        fclose(file);
    int none = atoi(total) == 0;
    doctor_set(out, none ? DOCTOR_NOTE : DOCTOR_OK, none ? "sysctl vm.nr_hugepages=64, if --huge-pages is wanted" : "",
               "%s reserved of %s", total, *size ? size : "unknown size");
}

void doctor_look_numa_balancing(struct doctor_finding *out)
{
    char line[32];
    if (doctor_read_line("/proc/sys/kernel/numa_balancing", line, sizeof line)) {
        doctor_set(out, DOCTOR_OK, "", "not in this kernel");
        return;
    }
    int on = atoi(line) != 0;
    doctor_set(out, on ? DOCTOR_WARN : DOCTOR_OK,
               on ? "sysctl kernel.numa_balancing=0: it unmaps and moves pages during measurements" : "", on ? "on" : "off");
}
