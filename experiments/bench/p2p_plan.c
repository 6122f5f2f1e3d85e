#include "experiments/bench/p2p_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Long enough that the beginning and the end of a repetition weigh little, short enough for a cold host's patience. */
enum { PINGPONG_BYTES = 1 << 18, PINGPONG_LEAST = 2, STREAM_BYTES = 1 << 22, STREAM_LEAST = 4 };

static int sizes_parse(struct p2p_plan *p, const char *text)
{
    char *end = NULL;
    for (p->sizes = 0; p->sizes < P2P_SIZES_MAX && *text; text = end + (*end == ',')) {
        uint64_t size = strtoull(text, &end, 10);
        if (end == text || (*end && *end != ',') || size > INT32_MAX)
            return -EINVAL;
        p->size_bytes[p->sizes++] = size;
    }
    return p->sizes && !*text ? 0 : -EINVAL;
}

static int option_set(struct p2p_plan *p, const char *name, const char *value)
{
    if (strcmp(name, "--name") == 0)
        p->name = value;
    else if (strcmp(name, "--way") == 0 && p->words < P2P_WAYS_MAX)
        p->word[p->words++] = value;
    else if (strcmp(name, "--size") == 0)
        return sizes_parse(p, value);
    else if (strcmp(name, "--time-limit") == 0)
        p->time_limit_s = strtod(value, NULL);
    else
        return -EINVAL;
    return 0;
}

int p2p_plan_parse(int argc, char **argv, struct p2p_plan *out)
{
    struct p2p_plan p = {.name = "mpi", .time_limit_s = 0.5, .size_bytes = {8}, .sizes = 1};
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || option_set(&p, argv[i], argv[i + 1]) != 0)
            return -EINVAL;
    *out = p;
    return 0;
}

uint32_t p2p_messages(enum p2p_pattern pattern, uint64_t size_bytes)
{
    uint64_t all = pattern == P2P_PINGPONG ? PINGPONG_BYTES : STREAM_BYTES;
    uint64_t least = pattern == P2P_PINGPONG ? PINGPONG_LEAST : STREAM_LEAST, count = size_bytes ? all / size_bytes : all;
    return (uint32_t)(count < least ? least : count > P2P_WINDOW_MAX ? P2P_WINDOW_MAX : count);
}

uint64_t p2p_area_bytes(const struct p2p_plan *plan)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < plan->sizes; i++) {
        uint64_t bytes = plan->size_bytes[i] * p2p_messages(P2P_STREAM, plan->size_bytes[i]);
        most = bytes > most ? bytes : most;
    }
    return most;
}
