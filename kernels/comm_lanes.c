#include "kernels/allgather_lanes.h"

#include "model/protocol/eager.h"

#include <stdio.h>
#include <string.h>

static struct bcast_call call_template(const struct comm_config *f, uint32_t lane)
{
    const struct comm_lane *l = &f->lane[lane];
    return (struct bcast_call){.fragment_bytes = l->fragment_bytes, .slots = l->slots, .sets = l->sets, .procs = f->procs,
                               .rank = f->rank, .readers_most = l->readers_most,
                               .lines = l->protocol->uses & PROTOCOL_LINES ? EAGER_LINES : 0};
}

static const char *replacement_fault(const struct comm_config *f)
{
    struct comm_config alone = *f;
    alone.lane[0] = f->without_peers;
    if (!alone.lane[0].protocol)
        return NULL;
    struct bcast_call call = call_template(&alone, 0);
    int fits =
        !(alone.lane[0].protocol->uses & (PROTOCOL_PEERS | PROTOCOL_ALLGATHER)) && alone.lane[0].protocol->supports(&call) == 0;
    return fits && lane_execute_find(alone.lane[0].protocol, f) ? NULL : "what takes the place of peers' buffers cannot work";
}

static const char *lane_fault(const struct comm_config *f, uint32_t lane)
{
    const struct comm_lane *l = &f->lane[lane];
    if (!l->protocol || !lane_execute_find(l->protocol, f))
        return "unknown protocol";
    if (l->protocol->uses & PROTOCOL_ALLGATHER)
        return "lanes have protocols of the broadcast: allgather goes by the same ones";
    if (lane > 0 && l->size_max_bytes < f->lane[lane - 1].size_max_bytes)
        return "lanes must come by rising size";
    if (f->control_pages && lane == 0 && l->protocol != &protocol_pipelined)
        return "control pages are for the pipelined protocol: the others need the packed layout";
    struct bcast_call call = call_template(f, lane);
    call.size_bytes = l->size_max_bytes;
    if (l->protocol->supports(&call))
        return "the protocol cannot work with these numbers of fragment bytes, slots and sets, or not up to this size";
    return NULL;
}

const char *lanes_fault(const struct comm_config *f)
{
    const char *fault = f->lanes == 0 || f->lanes > COMM_LANES_MAX ? "between 1 and 12 lanes are possible" : NULL;
    for (uint32_t i = 0; i < f->lanes && !fault; i++)
        fault = lane_fault(f, i);
    return fault ? fault : replacement_fault(f);
}

struct agreed lanes_agreed(const struct comm_config *f)
{
    struct agreed a;
    memset(&a, 0, sizeof a);
    a.area_bytes = f->area_bytes;
    a.procs = f->procs;
    a.lanes = f->lanes;
    a.huge_pages = f->huge_pages != 0;
    a.control_pages = f->control_pages != 0;
    a.op_start = f->op_start;
    for (uint32_t i = 0; i <= f->lanes && i <= COMM_LANES_MAX; i++) {
        const struct comm_lane *l = i < f->lanes ? &f->lane[i] : &f->without_peers;
        a.lane[i] = (struct agreed_lane){.fragment_bytes = l->fragment_bytes, .slots = l->slots, .sets = l->sets,
                                         .readers_most = l->readers_most, .tree_kind = l->tree.kind,
                                         .tree_degree = l->tree.degree, .size_max_bytes = l->size_max_bytes,
                                         .block_max_bytes = l->block_max_bytes};
        snprintf(a.lane[i].protocol, sizeof a.lane[i].protocol, "%s", l->protocol ? l->protocol->name : "");
    }
    return a;
}

struct segment_shape lanes_shape(const struct comm_config *f, uint32_t lane)
{
    const struct comm_lane *l = &f->lane[lane];
    uint32_t uses = l->protocol->uses;
    struct segment_shape shape = {.procs = f->procs, .counters = l->protocol->counters};
    shape.second_counters = companion_counters(f, lane);
    shape.slots = uses & PROTOCOL_SLOTS ? l->slots : 0;
    shape.fragment_bytes = uses & PROTOCOL_SLOTS ? l->fragment_bytes : 0;
    shape.sets = uses & PROTOCOL_SETS ? l->sets : 0;
    shape.lines = uses & PROTOCOL_LINES ? EAGER_LINES : 0;
    return shape;
}

int lanes_create(struct comm *comm, const uint32_t *domain_of_rank)
{
    const struct comm_config *f = &comm->config;
    for (uint32_t i = 0; i < f->lanes; i++) {
        struct lane *lane = &comm->lane[i];
        int error = tree_create_placed(f->lane[i].tree, f->procs, domain_of_rank, 0, &lane->tree);
        if (error)
            return error;
        comm->lanes = i + 1;
        lane->protocol = f->lane[i].protocol;
        lane->call = call_template(f, i);
        lane->call.tree = &lane->tree;
        lane->layout = &comm->plan.layout[i];
        lane->base = comm->base + comm->plan.lane_offset[i];
        lane->op = f->op_start;
        lane->size_max_bytes = f->lane[i].size_max_bytes;
        lane->execute = lane_execute_find(lane->protocol, f);
    }
    int error = companions_create(comm, domain_of_rank);
    if (error)
        return error;
    comm->peers.base = comm->base;
    comm->peers.areas_offset = comm->plan.areas_offset;
    comm->peers.area_bytes = comm->plan.area_bytes;
    return 0;
}

static void init_word(struct comm *comm, const struct lane *lane, uint32_t word, uint32_t owner, uint32_t index)
{
    word_store_relaxed(segment_word(lane->layout, lane->base, word, owner, index),
                       lane->protocol->word_initial(word, comm->config.op_start));
}

/* The agreement that follows publishes them. */
void lane_words_init(struct comm *comm, const struct lane *lane)
{
    const struct segment_layout *l = lane->layout;
    uint32_t rank = comm->config.rank;
    for (uint32_t k = 0; k < l->sets && rank == 0; k++) {
        init_word(comm, lane, WORD_SET_OP, 0, k);
        init_word(comm, lane, WORD_SET_NREADERS, 0, k);
    }
    for (uint32_t i = 0; i < l->slots && !(lane->protocol->uses & PROTOCOL_ALLGATHER); i++)
        init_word(comm, lane, WORD_CONTROL, rank, i);
    if (comm->config.control_pages && lane == comm->lane)
        return; /* the paper's layout ends here */
    for (uint32_t i = 0; i < l->lines; i++)
        init_word(comm, lane, WORD_LINE, rank, i);
    for (uint32_t i = 0; i < l->counters; i++)
        init_word(comm, lane, WORD_COUNTER, rank, i);
    init_word(comm, lane, WORD_ACK, rank, 0);
    init_word(comm, lane, WORD_OFFER, rank, 0);
}
