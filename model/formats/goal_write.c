#include "model/formats/goal_write.h"

#include <errno.h>
#include <inttypes.h>

/* What step k waits for, said of one of its tasks. */
static void write_needs(FILE *out, char task, uint32_t k, const struct schedule_line *last, uint32_t before)
{
    if (last->receive_from != SCHEDULE_NONE)
        fprintf(out, "%c%" PRIu32 " requires r%" PRIu32 "\n", task, k, before);
    if (last->send_to != SCHEDULE_NONE)
        fprintf(out, "%c%" PRIu32 " requires s%" PRIu32 "\n", task, k, before);
}

static int write_rank(FILE *out, const struct schedule_job *job, uint32_t rank)
{
    struct schedule_line line, last = {.send_to = SCHEDULE_NONE, .receive_from = SCHEDULE_NONE};
    uint32_t before = 0;
    fprintf(out, "\nrank %" PRIu32 " {\n", rank);
    for (uint32_t k = 0; k < schedule_line_count(job, rank); k++) {
        int got = schedule_line_get(job, rank, k, &line);
        if (got < 0)
            return got;
        if (got == 0)
            continue;
        if (line.receive_from != SCHEDULE_NONE) {
            fprintf(out, "r%" PRIu32 ": recv %" PRIu64 "b from %" PRIu32 " tag %" PRIu32 "\n", k, line.receive_bytes,
                    line.receive_from, line.round);
            write_needs(out, 'r', k, &last, before);
        }
        if (line.send_to != SCHEDULE_NONE) {
            fprintf(out, "s%" PRIu32 ": send %" PRIu64 "b to %" PRIu32 " tag %" PRIu32 "\n", k, line.send_bytes, line.send_to,
                    line.round);
            write_needs(out, 's', k, &last, before);
        }
        last = line;
        before = k;
    }
    fputs("}\n", out);
    return ferror(out) ? -EIO : 0;
}

int goal_write_schedule(FILE *out, const struct schedule_job *job)
{
    fprintf(out, "num_ranks %" PRIu32 "\n", job->schedule->procs);
    for (uint32_t rank = 0; rank < job->schedule->procs; rank++) {
        int err = write_rank(out, job, rank);
        if (err)
            return err;
    }
    return fflush(out) ? -EIO : 0;
}

/* "tag" of a number or of any. */
static void write_any(FILE *out, const char *keyword, uint32_t number)
{
    if (number == GOAL_ANY)
        fprintf(out, " %s -1", keyword);
    else
        fprintf(out, " %s %" PRIu32, keyword, number);
}

static void write_task(FILE *out, const struct goal_task *task)
{
    if (task->kind == GOAL_CALC) {
        fprintf(out, "calc %" PRIu64, task->size);
    } else {
        fprintf(out, "%s %" PRIu64 "b", task->kind == GOAL_SEND ? "send" : "recv", task->size);
        write_any(out, task->kind == GOAL_SEND ? "to" : "from", task->peer);
        write_any(out, "tag", task->tag);
    }
    if (task->cpu)
        fprintf(out, " cpu %u", task->cpu);
    if (task->nic && task->kind != GOAL_CALC)
        fprintf(out, " nic %u", task->nic);
    fputc('\n', out);
}

static void write_tasks(FILE *out, const struct goal_program *program, uint32_t rank)
{
    struct goal_span span = program->of_rank[rank];
    for (uint32_t i = 0; i < span.count; i++) {
        struct goal_task task = goal_program_task(program, rank, span.first + i);
        fprintf(out, "l%" PRIu32 ": ", i);
        write_task(out, &task);
    }
    for (uint32_t i = 0; i < span.count; i++) {
        uint32_t count;
        const struct goal_follower *follower = goal_program_followers(program, rank, span.first + i, &count);
        for (uint32_t f = 0; f < count; f++)
            fprintf(out, "l%" PRIu32 " %s l%" PRIu32 "\n", follower[f].task, follower[f].start ? "irequires" : "requires", i);
    }
}

int goal_write_program(FILE *out, const struct goal_program *program)
{
    fprintf(out, "num_ranks %" PRIu32 "\n", program->ranks);
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        fprintf(out, "\nrank %" PRIu32 " {\n", rank);
        write_tasks(out, program, rank);
        fputs("}\n", out);
    }
    return fflush(out) || ferror(out) ? -EIO : 0;
}
