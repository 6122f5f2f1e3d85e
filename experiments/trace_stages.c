#include "experiments/trace_stages.h"
#include "experiments/rows.h"

#include <errno.h>
#include <inttypes.h>

/* The trace format counts in microseconds; six decimals keep every picosecond. */
static void print_us(FILE *out, const char *name, uint64_t time_ps)
{
    fprintf(out, ",\"%s\":%" PRIu64 ".%06" PRIu64, name, time_ps / 1000000, time_ps % 1000000);
}

static void name_lane(struct trace_stages *t, uint32_t rank, uint32_t stage, int lane)
{
    int id = (int)stage * TRACE_STAGES_LANES + lane;
    fprintf(t->out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%d,\"args\":{\"name\":\"%s\"}}", rank + 1, id,
            nic_stage_name(stage));
    fprintf(t->out, ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%d,\"args\":{\"sort_index\":%d}}", rank + 1,
            id, id);
    t->named[rank][stage] = lane + 1;
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

static void emit(void *context, const struct trace_step *step)
{
    struct trace_stages *t = context;
    if (step->rank >= TRACE_STAGES_RANKS || step->stage >= NIC_STAGE_COUNT || !step->label)
        return;
    uint64_t *end_ps = t->end_ps[step->rank][step->stage];
    int lane = lane_of(end_ps, step->start_ps);
    uint64_t start_ps = end_ps[lane] > step->start_ps ? end_ps[lane] : step->start_ps;
    if (step->end_ps <= start_ps)
        return;
    end_ps[lane] = step->end_ps;
    while (t->named[step->rank][step->stage] <= lane)
        name_lane(t, step->rank, step->stage, t->named[step->rank][step->stage]);
    fprintf(t->out, ",\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%d", step->label,
            nic_stage_name(step->stage), step->rank + 1, (int)step->stage * TRACE_STAGES_LANES + lane);
    print_us(t->out, "ts", start_ps);
    print_us(t->out, "dur", step->end_ps - start_ps);
    fprintf(t->out, ",\"args\":{\"bytes\":%" PRIu64 "}}", step->bytes);
}

void trace_stages_begin(struct trace_stages *t, FILE *out, const char *title)
{
    *t = (struct trace_stages){.out = out, .sink = {emit, t}};
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"title\":", out);
    json_print_text(out, title);
    fputs("},\"traceEvents\":[\n", out);
    for (uint32_t rank = 0; rank < TRACE_STAGES_RANKS; rank++) {
        fprintf(out, "%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"args\":{\"name\":\"rank %" PRIu32 "\"}}",
                rank ? ",\n" : "", rank + 1, rank);
        for (uint32_t stage = 0; stage < NIC_STAGE_COUNT; stage++)
            name_lane(t, rank, stage, 0);
    }
}

int trace_stages_end(struct trace_stages *t)
{
    fputs("\n]}\n", t->out);
    return fflush(t->out) == 0 && !ferror(t->out) ? 0 : -EIO;
}
