#include "experiments/trace_json.h"

#include <errno.h>
#include <inttypes.h>

/* The trace format counts in microseconds; six decimals keep every picosecond. */
void trace_json_print_us(FILE *out, uint64_t time_ps)
{
    fprintf(out, "%" PRIu64 ".%06" PRIu64, time_ps / 1000000, time_ps % 1000000);
}

static void print_slice(FILE *out, const struct trace_step *step, const char *category, uint64_t start_ps, uint64_t end_ps)
{
    if (end_ps == start_ps)
        return;
    const char *name = step_name_string(step->name);
    fprintf(out, ",\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":", name, category, step->rank);
    trace_json_print_us(out, start_ps);
    fputs(",\"dur\":", out);
    trace_json_print_us(out, end_ps - start_ps);
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

static void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

void trace_json_begin(struct trace_json *trace, FILE *out, const char *title, uint32_t procs, uint32_t root)
{
    *trace = (struct trace_json){.out = out, .sink = {emit, trace}};
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
    fputs("{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":", out);
    print_string(out, title);
    fputs("}}", out);
    for (uint32_t r = 0; r < procs; r++) {
        const char *role = r == root ? " (root)" : "";
        fprintf(out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,", r);
        fprintf(out, "\"args\":{\"name\":\"rank %u%s\"}}", r, role);
        fprintf(out, ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,", r);
        fprintf(out, "\"args\":{\"sort_index\":%u}}", r);
    }
}

int trace_json_end(struct trace_json *trace)
{
    fputs("\n]}\n", trace->out);
    return fflush(trace->out) == 0 && !ferror(trace->out) ? 0 : -EIO;
}
