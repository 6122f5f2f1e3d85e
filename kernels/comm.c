#include "kernels/comm.h"

#include "kernels/comm_internal.h"
#include "kernels/placement.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct comm_lane lane_of(const struct protocol *protocol, uint64_t size_max_bytes)
{
    return (struct comm_lane){.protocol = protocol, .fragment_bytes = 8192, .slots = 64, .sets = 1,
                              .tree = {.kind = TREE_KARY, .degree = 2}, .size_max_bytes = size_max_bytes};
}

struct comm_config comm_config_of(uint32_t procs, uint32_t rank, const struct comm_lane *lane)
{
    return (struct comm_config){.procs = procs, .rank = rank, .lanes = 1, .lane = {*lane}, .domain_os = -1,
                                .copy_in = COMM_COPY_AUTO, .copy_out = COMM_COPY_AUTO};
}

struct comm_config comm_config_default(uint32_t procs, uint32_t rank)
{
    struct comm_lane brief = lane_of(&protocol_eager, EAGER_FIRST_LINE_BYTES);
    struct comm_config config = comm_config_of(procs, rank, &brief);
    config.lane[config.lanes++] = lane_of(&protocol_pipelined, UINT64_MAX);
    return config;
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
    peers_destroy(&comm->peers);
    for (uint32_t i = 0; i < comm->lanes; i++)
        tree_destroy(&comm->lane[i].tree);
    free(comm->others);
    free(comm->far);
    mapping_release(comm);
    free(comm);
}

/* What a rank did that failed so; NULL for errors of the system. */
static const char *error_meaning(int error)
{
    switch (error) {
    case -EOWNERDEAD:
        return "died";
    case -ETIMEDOUT:
        return "waited longer than the limit";
    case -EPIPE:
        return "left before this call";
    case -EPROTO:
        return "found the segment corrupted, or sizes that differ between ranks";
    default:
        return NULL;
    }
}

/* Whoever fails leaves its buffer to the user: nobody may reach for it any more. */
static void offers_withdraw(struct comm *comm)
{
    for (uint32_t i = 0; i < LANES_ALL; i++) {
        const struct lane *lane = &comm->lane[i];
        if (lane->protocol && (lane->protocol->uses & PROTOCOL_PEERS))
            peer_withdraw((struct peer_card *)(void *)(lane->base +
                                                       segment_word_offset(lane->layout, WORD_OFFER, comm->config.rank, 0) +
                                                       PEER_CARD_OFFSET));
    }
}

/* Milliseconds until the reason is known: of a process that has no memory any more but has not ended, as long as a busy host may
 * take over its last steps, or any over freeing much of it; of what may well be its own reason, a moment. */
enum { ENDING_MS = 20000, DOUBT_MS = 3 };

/* The kernel knows of a process's end before its descriptor tells. */
int comm_error_explained(struct comm *comm, int error)
{
    int waits = error == -ESRCH ? ENDING_MS : error == -EPROTO || error == -EFAULT ? DOUBT_MS : 0;
    for (int i = 0; i < waits && !comm->liveness.error && liveness_check(&comm->liveness) == 0; i++)
        usleep(1000);
    if (waits && comm->liveness.error)
        return comm->liveness.error;
    return error == -ESRCH ? -EPROTO : error;
}

int comm_fail(struct comm *comm, int error, const char *what)
{
    if (comm->error)
        return comm->error;
    error = comm_error_explained(comm, error);
    comm->error = error;
    comm->error_rank = comm->liveness.error ? comm->liveness.failed_rank : comm->config.rank;
    if (error != -EOWNERDEAD)
        liveness_fail(comm->liveness.head, comm->config.rank, error);
    offers_withdraw(comm); /* who stumbles over it finds the reason in the head */
    const char *meaning = error_meaning(error);
    int used = snprintf(comm->error_text, sizeof comm->error_text, "%s: rank %lld %s%s", what, (long long)comm->error_rank,
                        meaning ? "" : "failed: ", meaning ? meaning : strerror(-error));
    char at[64];
    if (comm->at.call && used > 0 && (size_t)used < sizeof comm->error_text) {
        step_text_brief(&comm->at, at, sizeof at);
        snprintf(comm->error_text + used, sizeof comm->error_text - (size_t)used, "; rank %u was at %s", comm->config.rank, at);
    }
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
    return comm->note;
}

const struct comm_lane *comm_lane_of(const struct comm *comm, uint64_t size_bytes)
{
    const struct comm_config *f = &comm->config;
    for (uint32_t i = 0; i < f->lanes; i++)
        if (size_bytes <= f->lane[i].size_max_bytes)
            return &f->lane[i];
    return NULL;
}

void *comm_area(const struct comm *comm)
{
    return comm->base + segment_range_area(&comm->plan, comm->config.rank).offset;
}

int comm_crowded(const struct comm *comm)
{
    return comm->crowded;
}

int comm_audit(struct comm *comm, struct comm_audit *out)
{
    const struct segment_plan *plan = &comm->plan;
    int domain = comm->config.domain_os >= 0 ? comm->config.domain_os : 0, error = 0;
    uint64_t page = plan->hugetlb ? plan->unit_bytes : plan->page_bytes;
    struct comm_audit sum = {.segment_bytes = plan->total_bytes, .domain_os = domain};
    for (uint32_t i = 0; i <= plan->lanes && !error; i++) {
        struct segment_range own = i < plan->lanes ? segment_range_of_rank(plan, i, comm->config.rank)
                                                   : segment_range_area(plan, comm->config.rank);
        struct placement_audit audit = {0};
        if (own.bytes > 0)
            error = placement_audit_range(comm->base + own.offset, own.bytes, page, domain, &audit);
        sum.pages += audit.pages;
        sum.pages_misplaced += audit.misplaced;
    }
    if (!error)
        *out = sum;
    return error;
}
