#include "sim/sim_costs.h"

#include "sim/sim_time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int paper_costs(struct sim_costs *costs, const struct node *node, char *reason, size_t reason_bytes)
{
    const struct paper_costs *p = &node->paper;
    if (!quantity_known(&p->t_s_per_byte) || !quantity_known(&p->t_w_s) || !quantity_known(&p->t_wo_s) ||
        !quantity_known(&p->t_a_s)) {
        snprintf(reason, reason_bytes, "node %s is contention-free but does not give all of t, t_w, t_wo and t_A", node->name);
        return -ENOTSUP;
    }
    costs->t_s_per_byte = p->t_s_per_byte.value;
    costs->t_w_ps = sim_ps_from_s(p->t_w_s.value);
    costs->t_wo_ps = sim_ps_from_s(p->t_wo_s.value);
    costs->t_a_ps = sim_ps_from_s(p->t_a_s.value);
    return 0;
}

static int fill_handover(struct sim_costs *costs, const struct node *node, char *reason, size_t reason_bytes)
{
    for (uint32_t i = 0; i < node->cores; i++)
        for (uint32_t j = 0; j < node->cores; j++) {
            double time_ns = i == j ? 0 : node_handover_ns(node, i, j);
            if (!(time_ns >= 0)) {
                snprintf(reason, reason_bytes, "node %s does not say what a line hand-over costs; calibrate it", node->name);
                return -ENOTSUP;
            }
            costs->handover_ps[(size_t)i * node->cores + j] = sim_ps_from_ns(time_ns);
        }
    return 0;
}

static void fill_peers(struct sim_costs *costs, const struct node *node)
{
    for (uint32_t i = 0; i < costs->procs; i++)
        for (uint32_t j = 0; j < costs->procs; j++)
            if (node->core_cache[costs->core_of_rank[i]] == node->core_cache[costs->core_of_rank[j]])
                costs->peers[i * costs->row + j / 64] |= UINT64_C(1) << j % 64;
}

/* The hand-over between two cores that share a cache, or the nearest class that is known. */
static double nearest_ns(const struct node *node)
{
    for (int c = HANDOVER_SAME_CACHE; c < HANDOVER_CLASS_COUNT; c++)
        if (quantity_known(&node->handover_ns[c]))
            return node->handover_ns[c].value;
    return 0;
}

static int described_costs(struct sim_costs *costs, const struct node *node, char *reason, size_t reason_bytes)
{
    double near_ns = nearest_ns(node);
    costs->step_ps = sim_ps_from_ns(node->step_ns.value);
    costs->atomic_ps = sim_ps_from_ns(node->atomic_ns.value);
    costs->call_ps = sim_ps_from_ns(node->call_ns.value);
    costs->packet_ps = sim_ps_from_ns(node->packet_ns.value);
    costs->fetch_share = node_fetch_share(node);
    costs->serves = quantity_known(&node->serve_ns);
    costs->serve_ps = sim_ps_from_ns(node->serve_ns.value);
    costs->detour = quantity_or(&node->detour, 0);
    costs->store_share = quantity_known(&node->store_ns) && near_ns > 0 ? node->store_ns.value / near_ns : 1;
    costs->handover_ps = calloc((size_t)node->cores * node->cores, sizeof *costs->handover_ps);
    costs->peers = calloc(costs->procs * costs->row, sizeof *costs->peers);
    if (!costs->handover_ps || !costs->peers) {
        snprintf(reason, reason_bytes, "no memory for the costs of %u cores", node->cores);
        return -ENOMEM;
    }
    fill_peers(costs, node);
    return fill_handover(costs, node, reason, reason_bytes);
}

int sim_costs_create(struct sim_costs *costs, const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    const struct node *node = scenario->machine.node;
    uint32_t procs = scenario->job.procs;
    *costs = (struct sim_costs){.contention_free = node->contention_free,
                                .procs = procs,
                                .cores = node->cores,
                                .core_of_rank = scenario->placement.core_of_rank,
                                .core_socket = node->core_socket,
                                .row = (procs + 63) / 64};
    int rc = node->contention_free ? paper_costs(costs, node, reason, reason_bytes)
                                   : described_costs(costs, node, reason, reason_bytes);
    if (rc)
        sim_costs_destroy(costs);
    return rc;
}

void sim_costs_destroy(struct sim_costs *costs)
{
    free(costs->handover_ps);
    free(costs->peers);
    *costs = (struct sim_costs){0};
}

uint64_t sim_costs_fetch_ps(const struct sim_costs *costs, const struct sim_words *words, size_t word, uint32_t rank)
{
    if (sim_words_held(words, word, rank))
        return 0;
    uint32_t from = sim_words_holder_among(words, word, costs->peers + rank * costs->row);
    if (from == SIM_NOBODY)
        from = words->word[word].writer;
    return sim_costs_between_ps(costs, from, rank);
}

uint64_t sim_costs_claim_ps(const struct sim_costs *costs, const struct sim_words *words, size_t word, uint32_t rank)
{
    uint64_t claim_ps = sim_costs_fetch_ps(costs, words, word, rank);
    for (uint32_t r = words->word[word].first_waiter; r != SIM_NOBODY; r = words->next_waiter[r])
        claim_ps = sim_costs_between_ps(costs, r, rank) > claim_ps ? sim_costs_between_ps(costs, r, rank) : claim_ps;
    return claim_ps;
}

uint64_t sim_costs_take_ps(const struct sim_costs *costs, const struct sim_words *words, size_t word, uint32_t rank)
{
    uint64_t farthest_ps = 0;
    for (size_t i = 0; i < words->row; i++)
        for (uint64_t left = words->holder[word * words->row + i]; left; left &= left - 1) {
            uint64_t ps = sim_costs_between_ps(costs, (uint32_t)(i * 64 + (size_t)__builtin_ctzll(left)), rank);
            farthest_ps = ps > farthest_ps ? ps : farthest_ps;
        }
    return (uint64_t)((1 - costs->fetch_share) * (double)farthest_ps);
}

uint64_t sim_costs_detour_ps(const struct sim_costs *costs, const struct sim_words *words, size_t word, uint32_t rank)
{
    uint64_t farthest_ps = 0;
    for (uint32_t r = words->word[word].first_waiter; costs->detour > 0 && r != SIM_NOBODY; r = words->next_waiter[r]) {
        uint64_t ps = sim_costs_between_ps(costs, rank, r);
        farthest_ps = !sim_costs_beside(costs, rank, r) && ps > farthest_ps ? ps : farthest_ps;
    }
    return (uint64_t)(costs->detour * (double)farthest_ps);
}
