#include "experiments/trace_stages.h"
#include "experiments/rows.h"
#include "experiments/trace_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static struct trace_stages_track *track_of(struct trace_stages *t, uint32_t rank, uint32_t stage)
{
    return &t->track[(size_t)rank * NIC_STAGE_COUNT + stage];
}

static void name_lane(struct trace_stages *t, uint32_t rank, uint32_t stage, int lane)
{
    trace_json_print_track(t->out, rank + 1, stage * TRACE_STAGES_LANES + (uint32_t)lane, nic_stage_name(stage));
    track_of(t, rank, stage)->named = lane + 1;
}

/* The first that is free; were there more at once than lanes, the one that ends first, and the slice begins there. */
static int lane_of(const uint64_t *end_ps, uint64_t start_ps)
{
    int soonest = 0;
    for (int lane = 0; lane < TRACE_STAGES_LANES; lane++) {
        if (end_ps[lane] <= start_ps)
            return lane;
        soonest = end_ps[lane] < end_ps[soonest] ? lane : soonest;
    }
    return soonest;
}

static void print_slice(struct trace_stages *t, const struct trace_step *step, int lane, const char *name, uint64_t start_ps,
                        uint64_t end_ps)
{
    if (end_ps <= start_ps)
        return;
    fprintf(t->out, ",\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%d,", name,
            nic_stage_name(step->stage), step->rank + 1, (int)step->stage * TRACE_STAGES_LANES + lane);
    trace_json_print_span(t->out, start_ps, end_ps);
    fprintf(t->out, ",\"args\":{\"bytes\":%" PRIu64 "}}", step->bytes);
}

static void emit(void *context, const struct trace_step *step)
{
    struct trace_stages *t = context;
    if (step->rank >= t->procs || step->stage >= NIC_STAGE_COUNT || !step->label)
        return;
    struct trace_stages_track *track = track_of(t, step->rank, step->stage);
    int lane = lane_of(track->end_ps, step->start_ps);
    uint64_t start_ps = track->end_ps[lane] > step->start_ps ? track->end_ps[lane] : step->start_ps;
    uint64_t work_ps = step->wait_end_ps > start_ps ? step->wait_end_ps : start_ps;
    if (step->end_ps <= start_ps)
        return;
    track->end_ps[lane] = step->end_ps;
    while (track->named <= lane)
        name_lane(t, step->rank, step->stage, track->named);
    print_slice(t, step, lane, "wait", start_ps, work_ps);
    print_slice(t, step, lane, step->label, work_ps, step->end_ps);
}

int trace_stages_begin(struct trace_stages *t, FILE *out, const char *title, uint32_t procs)
{
    *t = (struct trace_stages){.out = out, .sink = {emit, t}, .procs = procs};
    if (procs > TRACE_STAGES_RANKS_MOST)
        return talk_fail(EXIT_UNABLE, "a trace of %u ranks is too large to look at: use %d at most", procs,
                         TRACE_STAGES_RANKS_MOST);
    t->track = calloc((size_t)procs * NIC_STAGE_COUNT, sizeof *t->track);
    if (!t->track)
        return talk_fail(EXIT_UNABLE, "out of memory for a trace of %u ranks: leave out --trace", procs);
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"title\":", out);
    json_print_text(out, title);
    fputs("},\"traceEvents\":[\n", out);
    for (uint32_t rank = 0; rank < procs; rank++) {
        fprintf(out, "%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"args\":{\"name\":\"rank %" PRIu32 "\"}}",
                rank ? ",\n" : "", rank + 1, rank);
        for (uint32_t stage = 0; stage < NIC_STAGE_COUNT; stage++)
            name_lane(t, rank, stage, 0);
    }
    return 0;
}

int trace_stages_end(struct trace_stages *t)
{
    free(t->track);
    t->track = NULL;
    fputs("\n]}\n", t->out);
    return fflush(t->out) == 0 && !ferror(t->out) ? 0 : -EIO;
}
