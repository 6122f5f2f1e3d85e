#include "sim/sim_cluster.h"
#include "sim/sim_random.h"

#include <errno.h>
#include <stdio.h>

const char *sim_order_name(enum sim_order order)
{
    static const char *const names[SIM_ORDER_COUNT] = {"rounds", "arrival", "heap", "radix"};
    return names[order];
}

/* Bytes before a broadcast's part: the first ones are longer by the rest of the division. */
static uint64_t part_offset(uint64_t size_bytes, uint32_t procs, uint64_t part)
{
    uint64_t rest = size_bytes % procs;
    return size_bytes / procs * part + (part < rest ? part : rest);
}

static uint64_t run_bytes(uint64_t size_bytes, uint32_t procs, uint64_t first, uint64_t count)
{
    uint64_t end = first + count, wrapped = end > procs ? end - procs : 0;
    return part_offset(size_bytes, procs, end - wrapped) - part_offset(size_bytes, procs, first) +
           part_offset(size_bytes, procs, wrapped);
}

uint64_t sim_cluster_bytes(const struct sim_cluster_question *question, const struct schedule_blocks *blocks)
{
    const struct schedule *s = question->schedule;
    uint64_t bytes = 0;
    if (s->algorithm->kind != SCHEDULE_BCAST)
        return question->size_bytes * blocks->count;
    if (blocks->stride == 1)
        return run_bytes(question->size_bytes, s->procs, blocks->first, blocks->count);
    for (uint32_t i = 0; i < blocks->count; i++)
        bytes += run_bytes(question->size_bytes, s->procs, schedule_block(s, blocks, i), 1);
    return bytes;
}

int sim_cluster_next(const struct sim_cluster_question *question, uint32_t rank, uint32_t *step, struct schedule_step *out)
{
    const struct numbering *numbering = sim_cluster_numbering(question);
    uint32_t steps =
        numbering ? schedule_steps_numbered(question->schedule, numbering, rank) : schedule_steps(question->schedule, rank);
    while (*step < steps) {
        if (__builtin_expect(numbering != NULL, 0))
            schedule_step_numbered(question->schedule, numbering, rank, (*step)++, out);
        else
            schedule_step(question->schedule, rank, (*step)++, out);
        if (out->op == SCHEDULE_EXCHANGE || (question->nodes && question->nodes->memories))
            return 1;
    }
    return 0;
}

uint64_t sim_cluster_start_ps(const struct sim_cluster_question *question, uint32_t rank)
{
    uint64_t state = question->seed;
    state = sim_random_next(&state) + rank; /* else the ranks of one seed are those of the next, moved on */
    return question->skew_ps ? (uint64_t)((double)question->skew_ps * sim_random_uniform(&state)) : 0;
}

/* Of all blocks together. */
static int most_bytes(const struct sim_cluster_question *q, uint64_t *out)
{
    uint32_t blocks = q->schedule->algorithm->kind == SCHEDULE_BCAST ? 1 : q->schedule->procs;
    uint64_t all; /* sums over ranks are kept as well */
    return __builtin_mul_overflow(q->size_bytes, blocks, out) || __builtin_mul_overflow(*out, q->schedule->procs, &all);
}

/* Where links are shared every message may have to wait for all others of its round. */
static int fits(const struct sim_cluster_question *q, uint64_t bytes)
{
    const struct sim_fabric *fabric = q->nodes ? q->nodes->fabric : NULL;
    struct loggp slowest = *q->loggp;
    if (!fabric)
        return loggp_fits(q->loggp, q->schedule, bytes);
    double link_s = (double)bytes * (double)(fabric->link_byte_fs + slowest.byte_fs) * 1e-15 + (double)fabric->switch_ps * 1e-12;
    double round_s =
        link_s + (double)(slowest.latency_ps + slowest.gap_ps + slowest.receiver_gap_ps + 2 * slowest.overhead_ps) * 1e-12;
    return round_s * q->schedule->procs * (schedule_rounds(q->schedule) + 1.0) < 4e6;
}

int sim_cluster_run(const struct sim_cluster_question *question, struct sim_cluster_answer *out, char *reason,
                    size_t reason_bytes)
{
    struct sim_cluster_call call = {.question = question, .reason = reason, .reason_bytes = reason_bytes};
    uint64_t bytes;
    if (most_bytes(question, &bytes) || !fits(question, bytes) || question->skew_ps >> 61) {
        snprintf(reason, reason_bytes, "%llu bytes among %u ranks take longer than 53 days: use less, or a faster network",
                 (unsigned long long)question->size_bytes, question->schedule->procs);
        return -EOVERFLOW;
    }
    int err = question->order == SIM_ORDER_ROUNDS && !question->nodes ? sim_cluster_sweep(&call) : sim_cluster_events(&call);
    if (err == -ENOMEM)
        snprintf(reason, reason_bytes, "no memory for %u ranks: use fewer", question->schedule->procs);
    if (err == -EOVERFLOW)
        snprintf(reason, reason_bytes,
                 "a message of these takes longer than two minutes, which memories are not simulated for: use less");
    call.answer.messages_between = call.answer.messages - call.messages_inside;
    call.answer.bytes_between = call.answer.bytes_received - call.bytes_inside;
    if (!err)
        *out = call.answer;
    return err;
}
