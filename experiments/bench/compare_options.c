#include "experiments/bench/compare_options.h"

#include "experiments/bench/contest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char compare_options_usage[] =
    "usage: mpi_compare --contender all|WORD [--contender WORD]... [--size BYTES,...] [--name NAME] [--node NODE] [--root N]"
    " [--time-limit SECONDS] [--buffer-memory private|shared] [--collective bcast|allgather] [--in-place yes|no]\n";

static void sizes_parse(struct compare_options *o, const char *text)
{
    char *end = NULL;
    for (o->sizes = 0; o->sizes < COMPARE_SIZES_MAX && *text; text = end + (*end == ',')) {
        o->size_bytes[o->sizes++] = strtoull(text, &end, 10);
        if (end == text)
            break;
    }
}

/* One of two words. */
static int either(const char *value, const char *no, const char *yes, int *out)
{
    *out = strcmp(value, yes) == 0;
    return *out || strcmp(value, no) == 0 ? 0 : -EINVAL;
}

static int option_set(struct compare_options *o, const char *name, const char *value)
{
    if (strcmp(name, "--collective") == 0)
        return either(value, "bcast", "allgather", &o->allgather);
    if (strcmp(name, "--in-place") == 0)
        return either(value, "no", "yes", &o->in_place);
    if (strcmp(name, "--buffer-memory") == 0)
        return either(value, "private", "shared", &o->shared_memory);
    if (strcmp(name, "--name") == 0)
        o->name = value;
    else if (strcmp(name, "--node") == 0)
        o->node = value;
    else if (strcmp(name, "--contender") == 0 && o->words < COMPARE_CONTENDERS_MAX)
        o->word[o->words++] = value;
    else if (strcmp(name, "--size") == 0)
        sizes_parse(o, value);
    else if (strcmp(name, "--root") == 0)
        o->root = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(name, "--time-limit") == 0)
        o->time_limit_s = strtod(value, NULL);
    else
        return -EINVAL;
    return 0;
}

static int contender_add(const char *word, uint32_t procs, struct contender *contenders, uint32_t *count)
{
    if (*count < COMPARE_CONTENDERS_MAX && contender_parse(word, procs, &contenders[*count]) == 0) {
        ++*count;
        return 0;
    }
    fprintf(stderr, "mpi_compare: contender '%s' makes no sense, or is one too many\n", word);
    return -EINVAL;
}

/* The word `all`: the MPI, our default and every protocol there is. */
static int contenders_add(const char *word, uint32_t procs, struct contender *contenders, uint32_t *count)
{
    if (strcmp(word, "all") != 0)
        return contender_add(word, procs, contenders, count);
    int failed = contender_add("mpi", procs, contenders, count) || contender_add("best", procs, contenders, count);
    for (const struct protocol *const *p = protocol_table; *p && !failed; p++)
        failed = contender_add((*p)->name, procs, contenders, count);
    return failed ? -EINVAL : 0;
}

static int options_sound(const struct compare_options *o, uint32_t procs)
{
    int sound = o->words > 0 && o->sizes > 0 && o->root < procs && procs <= CONTEST_RANKS_MAX;
    for (uint32_t i = 0; i < o->sizes; i++)
        sound &= o->size_bytes[i] <= INT32_MAX;
    return sound;
}

int compare_options_parse(int argc, char **argv, uint32_t procs, struct compare_options *out, struct contender *contenders,
                          uint32_t *count)
{
    *out = (struct compare_options){.name = "mpi", .node = "host", .time_limit_s = 1};
    *count = 0;
    sizes_parse(out, "8");
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || option_set(out, argv[i], argv[i + 1]) != 0)
            return -EINVAL;
    for (uint32_t i = 0; i < out->words; i++)
        if (contenders_add(out->word[i], procs, contenders, count) != 0)
            return -EINVAL;
    return options_sound(out, procs) ? 0 : -EINVAL;
}
