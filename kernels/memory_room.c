#include "kernels/memory_room.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* "KEY:   123 kB" of /proc/meminfo, raw number; 0 if absent. */
static uint64_t meminfo_number(const char *key)
{
    FILE *f = fopen("/proc/meminfo", "re");
    char line[256];
    uint64_t number = 0;
    size_t n = strlen(key);
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, n) == 0 && line[n] == ':') {
            number = strtoull(line + n + 1, NULL, 10);
            break;
        }
    if (f)
        fclose(f);
    return number;
}

/* The number a one-line file holds; UINT64_MAX if there is none ("max" included). */
static uint64_t file_number(const char *directory, const char *name)
{
    char path[PATH_MAX], text[64] = "";
    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, name) >= sizeof path)
        return UINT64_MAX;
    FILE *f = fopen(path, "re");
    if (!f)
        return UINT64_MAX;
    char *end = text, *got = fgets(text, sizeof text, f);
    fclose(f);
    uint64_t number = got ? strtoull(text, &end, 10) : 0;
    return end == text ? UINT64_MAX : number;
}

static uint64_t left(uint64_t limit, uint64_t used)
{
    return limit == UINT64_MAX || used == UINT64_MAX ? UINT64_MAX : limit > used ? limit - used : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The least room from one cgroup directory up to its hierarchy's mount point. */
static uint64_t cgroup_room(const char *mount, const char *group, const char *limit, const char *used)
{
    char path[PATH_MAX];
    uint64_t room = UINT64_MAX;
    if ((size_t)snprintf(path, sizeof path, "%s%s", mount, group) >= sizeof path)
        return room;
    size_t top = strlen(mount);
    for (;;) {
        room = least(room, left(file_number(path, limit), file_number(path, used)));
        char *slash = strrchr(path, '/');
        if (!slash || (size_t)(slash - path) < top)
            return room;
        *slash = 0;
    }
}

/* Lines of /proc/self/cgroup: "0::/group" (v2), "4:memory:/group" (v1). */
static uint64_t cgroups_room(void)
{
    FILE *f = fopen("/proc/self/cgroup", "re");
    char line[PATH_MAX];
    uint64_t room = UINT64_MAX;
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *first = strchr(line, ':'), *second = first ? strchr(first + 1, ':') : NULL;
        if (!second)
            continue;
        *second = 0;
        if (first + 1 == second)
            room = least(room, cgroup_room("/sys/fs/cgroup", second + 1, "memory.max", "memory.current"));
        else if (strstr(first + 1, "memory"))
            room =
                least(room, cgroup_room("/sys/fs/cgroup/memory", second + 1, "memory.limit_in_bytes", "memory.usage_in_bytes"));
    }
    if (f)
        fclose(f);
    return room;
}

static uint64_t limit_bytes(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

uint64_t memory_room_bytes(void)
{
    uint64_t available_kb = meminfo_number("MemAvailable");
    uint64_t room = available_kb ? available_kb * 1024 : UINT64_MAX;
    return least(least(room, cgroups_room()), limit_bytes(RLIMIT_AS));
}

uint64_t memory_room_file_bytes(void)
{
    return limit_bytes(RLIMIT_FSIZE);
}

uint64_t memory_room_huge_bytes(uint64_t *page_bytes)
{
    *page_bytes = meminfo_number("Hugepagesize") * 1024;
    return meminfo_number("HugePages_Free") * *page_bytes;
}
