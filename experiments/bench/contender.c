#include "experiments/bench/contender.h"

#include "model/protocol/eager.h"
#include "model/scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse_copy(const char *value, int *out)
{
    for (int routine = 0; routine < COPY_ROUTINE_COUNT; routine++)
        if (strcmp(value, copy_routine_name((enum copy_routine)routine)) == 0) {
            *out = routine;
            return 0;
        }
    return -EINVAL;
}

static int parse_protocol(const char *value, struct contender *c)
{
    if (c->kind == CONTENDER_MESSAGES)
        return -EINVAL;
    c->kind = strcmp(value, "mpi") == 0 ? CONTENDER_MPI : strcmp(value, "best") == 0 ? CONTENDER_BEST : CONTENDER_OURS;
    const struct protocol *protocol = protocol_find(value);
    if (c->kind != CONTENDER_OURS)
        return 0;
    if (!protocol)
        return -EINVAL;
    c->lane.protocol = protocol;
    if (!(protocol->uses & (PROTOCOL_SLOTS | PROTOCOL_PEERS)))
        c->lane.size_max_bytes = EAGER_PAYLOAD_BYTES;
    if (protocol->preset.fragment_bytes) { /* another library's comes with its own */
        c->lane.fragment_bytes = protocol->preset.fragment_bytes;
        c->lane.slots = protocol->preset.slots;
        c->lane.sets = protocol->preset.sets;
        c->lane.tree = protocol->preset.tree;
    }
    return 0;
}

static int set(struct contender *c, const char *key, const char *value)
{
    uint64_t number = strtoull(value, NULL, 10);
    if (strcmp(key, "channel") == 0)
        return (c->channel = channel_find(value)) ? 0 : -EINVAL;
    if (strcmp(key, "algorithm") == 0)
        return (c->algorithm = schedule_find(SCHEDULE_ALLGATHER, value)) ? 0 : -EINVAL;
    if (strcmp(key, "protocol") == 0)
        return parse_protocol(value, c);
    if (strcmp(key, "tree") == 0)
        return tree_shape_parse(value, &c->lane.tree);
    if (strcmp(key, "in") == 0)
        return parse_copy(value, &c->copy_in);
    if (strcmp(key, "out") == 0)
        return parse_copy(value, &c->copy_out);
    if (strcmp(key, "fragment") == 0)
        c->lane.fragment_bytes = (uint32_t)number;
    else if (strcmp(key, "slots") == 0)
        c->lane.slots = (uint32_t)number;
    else if (strcmp(key, "sets") == 0)
        c->lane.sets = (uint32_t)number;
    else if (strcmp(key, "readers") == 0)
        c->lane.readers_most = (uint32_t)number;
    else if (strcmp(key, "huge") == 0)
        c->huge_pages = number != 0;
    else if (strcmp(key, "least") == 0)
        c->size_least_bytes = number;
    else if (strcmp(key, "most") == 0)
        c->size_most_bytes = number;
    else
        return -EINVAL;
    return 0;
}

static int parse_pair(char *pair, struct contender *c)
{
    char *value = strchr(pair, '=');
    if (!value)
        return -EINVAL;
    *value++ = 0;
    return set(c, pair, value);
}

int contender_parse(const char *word, uint32_t procs, struct contender *out)
{
    char text[256], *rest = NULL;
    struct contender c = {.copy_in = COMM_COPY_AUTO, .copy_out = COMM_COPY_AUTO, .size_most_bytes = UINT64_MAX};
    c.lane = (struct comm_lane){.fragment_bytes = 8192, .slots = 64, .sets = 1, .size_max_bytes = UINT64_MAX,
                                .tree = procs > 2 ? (struct tree_shape){TREE_KNOMIAL, 2} : (struct tree_shape){TREE_FLAT, 0}};
    if (strlen(word) >= sizeof text)
        return -EINVAL;
    strcpy(text, word);
    char *label = strtok_r(text, ":", &rest), *pair;
    if (!label || strlen(label) >= sizeof c.label)
        return -EINVAL;
    strcpy(c.label, label);
    c.kind = strstr(word, ":algorithm=") ? CONTENDER_MESSAGES : CONTENDER_OURS;
    int error = c.kind == CONTENDER_MESSAGES || strstr(word, ":protocol=") ? 0 : parse_protocol(label, &c);
    /* Values of a tree have colons themselves: there a dot stands for it. */
    while (!error && (pair = strtok_r(NULL, ":", &rest))) {
        for (char *dot = pair; (dot = strchr(dot, '.')); )
            *dot = ':';
        error = parse_pair(pair, &c);
    }
    if (c.kind == CONTENDER_MESSAGES)
        error = !error && c.channel && c.algorithm ? schedule_init(&c.schedule, c.algorithm, procs, 0) : -EINVAL;
    if (!error)
        *out = c;
    return error;
}

static struct comm_config best_config(uint32_t procs, uint32_t rank, int in_area, const struct node *node,
                                      char reason[COMM_REASON_BYTES])
{
    struct comm_config config = comm_config_default(procs, rank);
    uint32_t *core = calloc(procs, sizeof *core);
    struct comm_surroundings around = {.node = node, .core_of_rank = core, .buffers_in_area = in_area};
    if (core && placement_fill("compact", node, procs, core) == 0)
        comm_config_best(procs, rank, &around, &config, reason); /* leaves the default where it fails */
    free(core);
    return config;
}

int contender_open(struct contender *c, uint32_t procs, uint32_t rank, uint64_t area_bytes, const struct node *node,
                   const struct comm_bootstrap *bootstrap, char reason[COMM_REASON_BYTES])
{
    if (c->kind == CONTENDER_MPI)
        return 0;
    if (c->kind == CONTENDER_MESSAGES) {
        struct endpoint_config messages = endpoint_config_default(procs, rank, c->channel);
        return area_bytes ? -ENOTSUP : endpoint_create(&messages, bootstrap, &c->endpoint, reason);
    }
    struct comm_config config = comm_config_of(procs, rank, &c->lane);
    if (c->kind == CONTENDER_BEST)
        config = best_config(procs, rank, area_bytes > 0, node, reason);
    config.copy_in = c->copy_in;
    config.copy_out = c->copy_out;
    config.huge_pages = c->huge_pages;
    config.area_bytes = area_bytes;
    return comm_create(&config, bootstrap, &c->comm, reason);
}

void contender_close(struct contender *c)
{
    comm_destroy(c->comm);
    c->comm = NULL;
    endpoint_destroy(c->endpoint);
    c->endpoint = NULL;
}

int contender_allgather(struct contender *c, const void *send, void *receive, uint64_t block_bytes)
{
    return c->kind == CONTENDER_MESSAGES ? allgather_schedule_run(c->endpoint, send, receive, block_bytes, &c->schedule, NULL)
                                         : comm_allgather(c->comm, send, receive, block_bytes);
}

const char *contender_error(const struct contender *c)
{
    return c->kind == CONTENDER_MESSAGES ? endpoint_error_string(c->endpoint) : comm_error_string(c->comm);
}

int contender_takes(const struct contender *c, uint64_t size_bytes, uint32_t procs)
{
    struct bcast_call call = {.size_bytes = size_bytes, .fragment_bytes = c->lane.fragment_bytes, .slots = c->lane.slots,
                              .sets = c->lane.sets, .lines = EAGER_LINES, .readers_most = c->lane.readers_most, .procs = procs};
    if (size_bytes < c->size_least_bytes || size_bytes > c->size_most_bytes)
        return 0;
    if (c->kind != CONTENDER_OURS)
        return 1;
    const struct comm_lane *lane = c->comm ? comm_lane_of(c->comm, size_bytes) : &c->lane;
    if (!lane || lane->protocol != c->lane.protocol)
        return 0; /* the host forbids it, or the buffers are where it cannot reach: another has taken its place */
    return c->lane.protocol->supports(&call) == 0;
}
