#include "experiments/trace_json.h"
#include "experiments/rows.h"

#include <errno.h>
#include <inttypes.h>

/* Six decimals keep every picosecond. */
static void print_us(FILE *out, const char *name, uint64_t time_ps)
{
    fprintf(out, "\"%s\":%" PRIu64 ".%06" PRIu64, name, time_ps / 1000000, time_ps % 1000000);
}

void trace_json_print_span(FILE *out, uint64_t start_ps, uint64_t end_ps)
{
    print_us(out, "ts", start_ps);
    fputc(',', out);
    print_us(out, "dur", end_ps - start_ps);
}

void trace_json_print_track(FILE *out, uint32_t pid, uint32_t tid, const char *name)
{
    fprintf(out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"name\":\"%s\"}}",
            pid, tid, name);
    fprintf(out,
            ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
            ",\"args\":{\"sort_index\":%" PRIu32 "}}",
            pid, tid, tid);
}

static void print_slice(FILE *out, const struct trace_step *step, const char *category, uint64_t start_ps, uint64_t end_ps)
{
    if (end_ps == start_ps)
        return;
    const char *name = step_name_string(step->name);
    fprintf(out, ",\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%u,", name, category, step->rank);
    trace_json_print_span(out, start_ps, end_ps);
    fprintf(out, ",\"args\":{\"index\":%" PRIu32, step->index);
    if (step->op == STEP_COPY)
        fprintf(out, ",\"bytes\":%" PRIu64, step->bytes);
    fputs("}}", out);
}

static void emit(void *context, const struct trace_step *step)
{
    struct trace_json *trace = context;
    if (step->op == STEP_COPY) {
        print_slice(trace->out, step, "copy", step->start_ps, step->end_ps);
        return;
    }
    print_slice(trace->out, step, "wait", step->start_ps, step->wait_end_ps);
    print_slice(trace->out, step, "notify", step->wait_end_ps, step->end_ps);
}

void trace_json_begin(struct trace_json *trace, FILE *out, const char *title, uint32_t procs, uint32_t root)
{
    *trace = (struct trace_json){.out = out, .sink = {emit, trace}};
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
    fputs("{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":", out);
    json_print_text(out, title);
    fputs("}}", out);
    for (uint32_t r = 0; r < procs; r++) {
        char name[32];
        snprintf(name, sizeof name, "rank %u%s", r, r == root ? " (root)" : "");
        trace_json_print_track(out, 1, r, name);
    }
}

int trace_json_end(struct trace_json *trace)
{
    fputs("\n]}\n", trace->out);
    return fflush(trace->out) == 0 && !ferror(trace->out) ? 0 : -EIO;
}
