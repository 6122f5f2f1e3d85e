/* The kill matrix: every protocol, of broadcast and allgather ("ag"), x ranks x every rank x every step of three calls, and
 * within every step that can be half done.
 *
 * All cells with SHMCOLL_TEST_FULL, else some of each row, others each time. SHMCOLL_TEST_PROTOCOL: only that one's rows.
 * Where a rank's course depends on the others', a cell that another course missed is tried again, and does not count if it was a
 * course's that hardly ever comes. To come to a cell and not to die there is a failure. */
#include "fault_case.h"

#include "../kernels/kill_case.h"
#include "../kernels/small_lane.h"

#include "kernels/allgather_lanes.h"
#include "kernels/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 40, CELLS_SOME = 10, BROKEN_SHOWN = 5 };

struct row {
    const struct protocol *protocol;
    uint32_t procs, steps, cells, tried, missed, survived;
    uint64_t worst_ns;
};

/* Every one of the `every`th cells, from `first` on. */
struct choice {
    uint32_t every, first;
};

static int can_be_half(uint32_t op)
{
    return op == STEP_COPY || op == STEP_STORE || op == STEP_ADD || op == STEP_TAKE || op == STEP_OFFER;
}

static void cell_run(struct row *row, struct fault_case *c, const struct fault_census *census)
{
    char reason[COMM_REASON_BYTES] = "";
    uint64_t latest_ns = 0;
    enum fault_end end = FAULT_MISSED;
    row->tried++;
    for (int i = 0; i < TRIES && (end == FAULT_MISSED || (end == FAULT_SURVIVED && latest_ns >= KILL_LATE_NS)); i++)
        end = fault_case_kill(c, reason, &latest_ns);
    if (end == FAULT_SURVIVED && latest_ns >= KILL_LATE_NS) {
        end = FAULT_BROKEN;
        snprintf(reason, sizeof reason, "each time survivors know too late, at last after %.3f s", (double)latest_ns * 1e-9);
    }
    row->missed += end == FAULT_MISSED;
    row->survived += end == FAULT_SURVIVED;
    row->worst_ns = latest_ns > row->worst_ns ? latest_ns : row->worst_ns;
    if (end == FAULT_BROKEN && row->tried - row->missed - row->survived <= BROKEN_SHOWN)
        printf("%s p=%u rank=%u call=%u step=%u (%s) %s: %s\n", row->protocol->name, row->procs, c->victim, c->call, c->step,
               step_name_string(census->step[c->call][c->step].name), c->verdict == FAULT_WITHIN ? "within" : "before", reason);
}

static void call_run(struct row *row, struct fault_case *c, const struct fault_census *census, struct choice choice)
{
    for (c->step = 0; c->step < census->count[c->call]; c->step++) {
        int half = can_be_half(census->step[c->call][c->step].op);
        row->steps++;
        for (c->verdict = FAULT_BEFORE; c->verdict <= (half ? FAULT_WITHIN : FAULT_BEFORE); c->verdict++)
            if (row->cells++ % choice.every == choice.first)
                cell_run(row, c, census);
    }
}

static int row_run(struct row *row, const struct fault_case *shape, struct choice choice)
{
    for (uint32_t victim = 0; victim < row->procs; victim++) {
        struct fault_case c = *shape;
        struct fault_census census;
        char reason[COMM_REASON_BYTES];
        c.procs = row->procs;
        c.victim = victim;
        if (victim % 2 && (row->protocol->uses & PROTOCOL_PEERS)) /* plain copies there, the kernel's elsewhere */
            c.area_bytes = c.size_bytes * c.procs;
        if (fault_case_census(&c, &census, reason)) {
            printf("%s p=%u rank=%u, nobody killed: %s\n", row->protocol->name, row->procs, victim, reason);
            return -1;
        }
        for (c.call = 0; c.call < FAULT_CALLS; c.call++)
            call_run(row, &c, &census, choice);
    }
    return 0;
}

/* About as many cells of each row, whatever its length: it is counted first, by a row without cells. */
static struct choice choice_make(const struct row *row, const struct fault_case *shape, uint32_t seed)
{
    struct row counted = *row;
    if (getenv("SHMCOLL_TEST_FULL") || row_run(&counted, shape, (struct choice){UINT32_MAX, UINT32_MAX}))
        return (struct choice){1, 0};
    uint32_t every = counted.cells / CELLS_SOME + 1;
    return (struct choice){every, seed % every};
}

static const char *label_of(const struct protocol *protocol, char label[32])
{
    snprintf(label, 32, "%s%.14s", protocol->uses & PROTOCOL_ALLGATHER ? "ag " : "", protocol->name);
    return label;
}

static int protocol_run(const struct protocol *protocol, uint32_t seed)
{
    static const uint32_t procs[] = {2, 3, 5};
    int failed = 0;
    int allgather = (protocol->uses & PROTOCOL_ALLGATHER) != 0;
    struct fault_case shape = {.allgather = allgather};
    if (small_lane_make(allgather ? companion_carrier(protocol) : protocol, &shape.lane, &shape.size_bytes)) {
        printf("%s takes none of the shapes tried\n", protocol->name);
        return 1;
    }
    for (size_t i = 0; i < sizeof procs / sizeof *procs; i++) {
        struct row row = {.protocol = protocol, .procs = procs[i]};
        uint64_t begin_ns = clock_monotonic_ns();
        char label[32];
        int broken = row_run(&row, &shape, choice_make(&row, &shape, seed));
        printf("| %-16s | %5u | %5u | %5u | %5u | %6u | %8u | %8.1f | %6.1f |\n", label_of(protocol, label),
               row.procs, row.steps, row.cells, row.tried, row.missed, row.survived,
               (double)row.worst_ns * 1e-6, (double)(clock_monotonic_ns() - begin_ns) * 1e-9);
        fflush(stdout);
        failed += broken || row.tried == 0 || row.survived + row.missed < row.tried;
    }
    return failed;
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED"), *only = getenv("SHMCOLL_TEST_PROTOCOL");
    uint32_t seed = given ? (uint32_t)strtoul(given, NULL, 0) : (uint32_t)(clock_monotonic_ns() % 1000000), passed = 0,
             failed = 0;
    printf("seed %u\n| %-16s | %5s | %5s | %5s | %5s | %6s | %8s | %8s | %6s |\n", seed, "protocol", "ranks", "steps", "cells",
           "tried", "missed", "survived", "worst ms", "s");
    const struct protocol *const *const tables[] = {protocol_table, protocol_allgather_table};
    for (int t = 0; t < 2; t++)
        for (const struct protocol *const *p = tables[t]; *p; p++) {
            if (only && strcmp(only, (*p)->name) != 0)
                continue;
            int broken = protocol_run(*p, seed);
            passed += !broken;
            failed += broken != 0;
        }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
