#include "kernels/comm.h"

#include "kernels/comm_internal.h"
#include "kernels/placement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct comm_config comm_config_default(uint32_t procs, uint32_t rank)
{
    return (struct comm_config){
        .procs = procs,
        .rank = rank,
        .protocol = &protocol_pipelined,
        .fragment_bytes = 8192,
        .slots = 64,
        .sets = 1,
        .tree = {.kind = TREE_KARY, .degree = 2},
        .short_protocol = 1,
        .domain_os = -1,
        .copy_in = COMM_COPY_AUTO,
        .copy_out = COMM_COPY_AUTO,
    };
}

static void mapping_release(struct comm *comm)
{
    /* The last thread of the process unmaps: acquire, so that nobody's accesses come after it. */
    if (comm->mapping && word_add_acq_rel(&comm->mapping->users, UINT32_MAX) == 1) {
        segment_unmap(&comm->plan, comm->mapping->base);
        free(comm->mapping);
    }
}

void comm_destroy(struct comm *comm)
{
    if (!comm)
        return;
    if (comm->liveness.peer)
        liveness_leave(&comm->liveness);
    liveness_destroy(&comm->liveness);
    tree_destroy(&comm->tree);
    mapping_release(comm);
    free(comm);
}

static const char *error_meaning(int error)
{
    switch (error) {
    case -EOWNERDEAD:
        return "died";
    case -EPIPE:
        return "left before this call";
    case -EPROTO:
        return "found the segment corrupted, or sizes that differ between ranks";
    default:
        return strerror(-error);
    }
}

int comm_fail(struct comm *comm, int error, const char *what)
{
    if (comm->error)
        return comm->error;
    comm->error = error;
    comm->error_rank = comm->liveness.error ? comm->liveness.failed_rank : comm->config.rank;
    if (error != -EOWNERDEAD)
        liveness_fail(comm->liveness.head, comm->config.rank, error);
    snprintf(comm->error_text, sizeof comm->error_text, "%s: rank %lld %s", what, (long long)comm->error_rank, error_meaning(error));
    return error;
}

const char *comm_error_string(const struct comm *comm)
{
    return comm->error_text;
}

int64_t comm_error_rank(const struct comm *comm)
{
    return comm->error_rank;
}

const char *comm_note(const struct comm *comm)
{
    return comm->plan.note;
}

int comm_crowded(const struct comm *comm)
{
    return comm->crowded;
}

int comm_audit(struct comm *comm, struct comm_audit *out)
{
    struct segment_range own = segment_range_of_rank(&comm->plan, comm->config.rank);
    struct placement_audit audit = {0};
    int domain = comm->config.domain_os >= 0 ? comm->config.domain_os : 0;
    uint64_t page = comm->plan.hugetlb ? comm->plan.unit_bytes : comm->plan.layout.page_bytes;
    int error = placement_audit_range(comm->base + own.offset, own.bytes, page, domain, &audit);
    if (!error)
        *out = (struct comm_audit){audit.pages, audit.misplaced, comm->plan.total_bytes, domain};
    return error;
}
