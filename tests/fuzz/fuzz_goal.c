/* GOAL programs: whatever comes in, a program or one line; what was read is written and read again the same; and it runs to its
 * end or says in one line why not. */
#include "model/formats/goal_read.h"
#include "model/formats/goal_write.h"
#include "sim/goal_run.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(int condition)
{
    if (!condition)
        abort();
}

static char *format(const struct goal_program *program, size_t *bytes)
{
    char *text;
    FILE *file = open_memstream(&text, bytes);
    must(file && goal_write_program(file, program) == 0);
    fclose(file);
    return text;
}

static void format_again(const struct goal_program *program)
{
    struct goal_program again;
    char reason[200], *first, *second;
    size_t first_bytes, second_bytes;
    first = format(program, &first_bytes);
    must(goal_read("again", first, first_bytes, &again, reason, sizeof reason) == 0);
    second = format(&again, &second_bytes);
    must(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0);
    free(first);
    free(second);
    goal_program_destroy(&again);
}

static void run(const struct goal_program *program)
{
    static const struct loggp loggp = {2500, 1500, 1000, 700, 6000};
    struct goal_outcome outcome;
    char reason[300] = "";
    if (goal_run(program, &loggp, 1, &outcome, reason, sizeof reason)) {
        must(*reason && !strchr(reason, '\n'));
        return;
    }
    goal_outcome_destroy(&outcome);
}

/* The same over shared links. */
static void run_shared(const struct goal_program *program)
{
    struct network network;
    struct sim_fabric fabric;
    struct goal_outcome outcome;
    char reason[300] = "";
    must(network_parse("switch", &network, reason, sizeof reason) == 0);
    must(sim_fabric_create(&fabric, &network, program->ranks, reason, sizeof reason) == 0);
    struct goal_network joined = {.loggp = network_loggp(&network), .fabric = &fabric};
    if (goal_run_over(program, &joined, 1, &outcome, reason, sizeof reason))
        must(*reason && !strchr(reason, '\n'));
    else
        goal_outcome_destroy(&outcome);
    sim_fabric_destroy(&fabric);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct goal_program program;
    char reason[300] = "";
    if (goal_read("fuzz", (const char *)data, bytes, &program, reason, sizeof reason)) {
        must(strncmp(reason, "fuzz:", 5) == 0 && !strchr(reason, '\n'));
        return 0;
    }
    /* Ranks without tasks take time and memory, and are all alike. */
    if (program.ranks <= 4096) {
        format_again(&program);
        run(&program);
        run_shared(&program);
    }
    goal_program_destroy(&program);
    return 0;
}
