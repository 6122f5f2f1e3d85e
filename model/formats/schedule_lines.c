#include "model/formats/schedule_lines.h"

#include <errno.h>

/* Where part i of a broadcast begins, i <= procs: what is over after equal parts goes to the first. */
static uint64_t part_bytes(const struct schedule_job *job, uint32_t i)
{
    uint64_t each = job->size_bytes / job->schedule->procs, over = job->size_bytes % job->schedule->procs;
    return each * i + (i < over ? i : over);
}

static uint64_t parts_bytes(const struct schedule_job *job, const struct schedule_blocks *blocks)
{
    uint64_t bytes = 0;
    if (blocks->count == job->schedule->procs)
        return job->size_bytes;
    for (uint32_t i = 0; i < blocks->count; i++) {
        uint32_t block = schedule_block(job->schedule, blocks, i);
        bytes += part_bytes(job, block + 1) - part_bytes(job, block);
    }
    return bytes;
}

static int blocks_bytes(const struct schedule_job *job, const struct schedule_blocks *blocks, uint64_t *out)
{
    if (job->schedule->algorithm->kind != SCHEDULE_BCAST)
        return __builtin_mul_overflow(job->size_bytes, blocks->count, out) ? -EOVERFLOW : 0;
    *out = parts_bytes(job, blocks);
    return 0;
}

int schedule_line_get(const struct schedule_job *job, uint32_t rank, uint32_t k, struct schedule_line *out)
{
    struct schedule_step step;
    schedule_step_numbered(job->schedule, job->numbering, rank, k, &step);
    if (step.op != SCHEDULE_EXCHANGE)
        return 0;
    *out = (struct schedule_line){.round = step.round, .send_to = step.send_to, .receive_from = step.receive_from};
    if (blocks_bytes(job, &step.send, &out->send_bytes) || blocks_bytes(job, &step.receive, &out->receive_bytes))
        return -EOVERFLOW;
    return 1;
}

uint32_t schedule_line_count(const struct schedule_job *job, uint32_t rank)
{
    return schedule_steps_numbered(job->schedule, job->numbering, rank);
}
