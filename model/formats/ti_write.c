#include "model/formats/ti_write.h"

#include <errno.h>
#include <inttypes.h>

/* Receives come first, so that nothing arrives unexpected. */
static void write_line(FILE *out, uint32_t rank, const struct schedule_line *line)
{
    if (line->receive_from != SCHEDULE_NONE)
        fprintf(out, "%" PRIu32 " irecv %" PRIu32 " %" PRIu32 " %" PRIu64 "\n", rank, line->receive_from, line->round,
                line->receive_bytes);
    if (line->send_to != SCHEDULE_NONE)
        fprintf(out, "%" PRIu32 " isend %" PRIu32 " %" PRIu32 " %" PRIu64 "\n", rank, line->send_to, line->round,
                line->send_bytes);
    fprintf(out, "%" PRIu32 " waitall\n", rank);
}

int ti_write_rank(FILE *out, const struct schedule_job *job, uint32_t rank)
{
    struct schedule_line line;
    fprintf(out, "%" PRIu32 " init\n", rank);
    for (uint32_t k = 0; k < schedule_line_count(job, rank); k++) {
        int got = schedule_line_get(job, rank, k, &line);
        if (got < 0)
            return got;
        if (got)
            write_line(out, rank, &line);
    }
    fprintf(out, "%" PRIu32 " finalize\n", rank);
    return ferror(out) ? -EIO : 0;
}

int ti_write_schedule(FILE *out, const struct schedule_job *job)
{
    for (uint32_t rank = 0; rank < job->schedule->procs; rank++) {
        int err = ti_write_rank(out, job, rank);
        if (err)
            return err;
    }
    return fflush(out) ? -EIO : 0;
}
