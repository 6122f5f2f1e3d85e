#include "page_count.h"

#include <errno.h>
#include <numaif.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int page_status(void *page, const int *domain_os)
{
    int status = -EIO;
    long failed = syscall(SYS_move_pages, 0, 1ul, &page, domain_os, &status, domain_os ? MPOL_MF_MOVE_ALL : 0);
    return failed < 0 ? -errno : status;
}

int page_count_range(void *base, uint64_t bytes, uint64_t page_bytes, struct page_count *out)
{
    for (uint64_t offset = 0; offset < bytes; offset += page_bytes) {
        char *page = (char *)base + offset;
        (void)*(volatile char *)page;
        int status = page_status(page, NULL);
        if (status >= COUNT_DOMAINS_MAX || (status < 0 && status != -ENOENT))
            return status < 0 ? status : -ERANGE;
        (*(status < 0 ? &out->nowhere : &out->on[status]))++;
    }
    return 0;
}

int page_move(void *page, int domain_os)
{
    int status = page_status(page, &domain_os);
    return status < 0 ? status : status == domain_os ? 0 : -EBUSY;
}

int homes_parse(const char *text, struct homes *out)
{
    *out = (struct homes){0};
    for (;;) {
        char *end;
        unsigned long domain = strtoul(text, &end, 10);
        if (end == text || domain >= COUNT_DOMAINS_MAX || out->cpus == HOMES_MAX || (*end && *end != ','))
            return -EINVAL;
        out->of_cpu[out->cpus++] = (uint32_t)domain;
        out->domains = domain >= out->domains ? (uint32_t)domain + 1 : out->domains;
        if (!*end)
            return 0;
        text = end + 1;
    }
}

uint32_t homes_away(const struct homes *homes)
{
    uint32_t away = 0;
    for (uint32_t i = 0; i < homes->cpus; i++)
        away += homes->of_cpu[i] != homes->of_cpu[0];
    return away;
}
