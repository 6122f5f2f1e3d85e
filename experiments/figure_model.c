/* Figures that the closed form and the segment layout give: 1, 4, Table 1, 6, 8. */
#include "experiments/figure.h"
#include "experiments/scenario_build.h"
#include "model/bcast_cost.h"
#include "model/segment_layout.h"

static const uint64_t SIZE_BYTES = 16 << 20, BUFFER_BYTES = 4 << 20;

/* Eight ranks that alternate between two domains, as in the paper; each block with its place and owner. */
int figure_1(FILE *csv, const struct settings *settings)
{
    (void)settings;
    enum { PROCS = 8, SLOTS = 8, SETS = 2, FRAGMENT = 8192, PAGE = 4096 };
    struct segment_layout l;
    if (segment_layout_paper(PROCS, SLOTS, SETS, FRAGMENT, PAGE, &l))
        return talk_fail(EXIT_FAILED, "the layout of figure 1 is refused");
    fprintf(csv, "block,index,owner,domain,leader,offset_bytes,size_bytes\n");
    fprintf(csv, "leaders,0,0,0,0,0,%llu\n", (unsigned long long)l.sets_offset);
    for (unsigned set = 0; set < SETS; set++)
        fprintf(csv, "set,%u,0,0,0,%llu,%u\n", set, (unsigned long long)segment_word_offset(&l, WORD_SET_OP, 0, set), PAGE);
    for (unsigned rank = 0; rank < PROCS; rank++)
        for (unsigned slot = 0; slot < 2 * SLOTS; slot++) {
            int control = slot < SLOTS;
            uint64_t at =
                control ? segment_word_offset(&l, WORD_CONTROL, rank, slot) : segment_slot_offset(&l, rank, slot - SLOTS);
            uint64_t bytes = control ? l.control_stride_bytes : l.fragment_stride_bytes;
            fprintf(csv, "%s,%u,%u,%u,%u,%llu,%llu\n", control ? "control" : "fragment", slot % SLOTS, rank, rank % 2, rank % 2,
                    (unsigned long long)at, (unsigned long long)bytes);
        }
    fprintf(csv, "total,0,0,0,0,0,%llu\n", (unsigned long long)l.total_bytes);
    return 0;
}

static int paper_costs(struct bcast_costs *out)
{
    struct node node;
    int code = figure_node("paper", &node);
    if (code)
        return code;
    *out = scenario_costs(&node);
    node_destroy(&node);
    return 0;
}

int figure_4(FILE *csv, const struct settings *settings)
{
    struct bcast_costs costs;
    int code = paper_costs(&costs);
    (void)settings;
    if (code)
        return code;
    double best = bcast_cost_fragment_opt_bytes(&costs, SIZE_BYTES, BUFFER_BYTES);
    fprintf(csv, "fragment_bytes,time_s,fill_s,notify_s,executable_s,fragment_opt_bytes,time_opt_s\n");
    for (uint32_t f = 2048; f <= 65536; f += 512) {
        double fill_s = (double)(SIZE_BYTES / BUFFER_BYTES) * f * costs.t_s_per_byte,
               notify_s = (double)SIZE_BYTES / f * costs.t_w_s;
        fprintf(csv, "%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.12g\n", f, bcast_cost_relaxed_s(&costs, SIZE_BYTES, f, BUFFER_BYTES), fill_s,
                notify_s, bcast_cost_s(&costs, SIZE_BYTES, f, (uint32_t)(BUFFER_BYTES / f), 1), best,
                bcast_cost_relaxed_s(&costs, SIZE_BYTES, best, BUFFER_BYTES));
    }
    return 0;
}

int figure_table1(FILE *csv, const struct settings *settings)
{
    char text[BCAST_TABLE1_TEXT_BYTES];
    (void)settings;
    fprintf(csv, "fragment_bytes,divisor,slots,buffer_bytes,buffer_text,band\n");
    for (uint32_t f = 4096; f <= 65536; f += 4096)
        for (uint32_t divisor = 2; divisor <= 512; divisor *= 2)
            fprintf(csv, "%u,%u,%u,%llu,%s,%d\n", f, divisor, f / divisor, (unsigned long long)f * (f / divisor),
                    bcast_cost_table1_text(f, divisor, text), bcast_cost_table1_band(f, divisor));
    return 0;
}

int figure_6(FILE *csv, const struct settings *settings)
{
    struct bcast_costs costs;
    int code = paper_costs(&costs);
    (void)settings;
    if (code)
        return code;
    fprintf(csv, "slots,time_s\n");
    for (uint32_t s = 1; s <= 512; s += s < 64 ? 1 : 8)
        fprintf(csv, "%u,%.9g\n", s, bcast_cost_s(&costs, SIZE_BYTES, 8192, s, 1));
    return 0;
}

int figure_8(FILE *csv, const struct settings *settings)
{
    struct bcast_costs costs;
    int code = paper_costs(&costs);
    (void)settings;
    if (code)
        return code;
    fprintf(csv, "fragment_bytes,time_s\n");
    for (uint32_t f = 2048; f <= 65536; f += 128)
        fprintf(csv, "%u,%.9g\n", f, bcast_cost_s(&costs, SIZE_BYTES, f, 32, 1));
    return 0;
}
