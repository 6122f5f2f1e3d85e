#include "experiments/option_parsers.h"
#include "experiments/options.h"
#include "model/channel.h"
#include "model/schedule.h"
#include "partition/partitioner.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int parse_text(const char *text, void *field, char *reason, size_t reason_bytes)
{
    if (!*text) {
        snprintf(reason, reason_bytes, "is empty");
        return -EINVAL;
    }
    *(const char **)field = text;
    return 0;
}

int parse_size_list(const char *text, void *field, char *reason, size_t reason_bytes)
{
    return size_list_parse(text, field, reason, reason_bytes);
}

int parse_positive_list(const char *text, void *field, char *reason, size_t reason_bytes)
{
    struct size_list list;
    if (size_list_parse(text, &list, reason, reason_bytes))
        return -EINVAL;
    for (size_t i = 0; i < list.count; i++)
        if (list.value[i] == 0 || list.value[i] > UINT32_MAX) {
            snprintf(reason, reason_bytes, "%llu is out of range: use 1 to %u", (unsigned long long)list.value[i], UINT32_MAX);
            return -EINVAL;
        }
    *(struct size_list *)field = list;
    return 0;
}

int parse_tree_list(const char *text, void *field, char *reason, size_t reason_bytes)
{
    struct tree_list list = {.count = 0};
    char *copy = strdup(text), *rest = copy, *item;
    int error = copy ? 0 : -ENOMEM;
    while (!error && (item = strsep(&rest, ","))) {
        if (list.count == TREE_LIST_MAX || tree_shape_parse(item, &list.shape[list.count++])) {
            snprintf(reason, reason_bytes,
                     "unknown tree '%s': use flat, chain, kary:K or joined:K (K >= 1) or knomial:K (K >= 2)", item);
            error = -EINVAL;
        }
    }
    free(copy);
    if (!error)
        *(struct tree_list *)field = list;
    return error;
}

int parse_uint32(const char *text, void *field, char *reason, size_t reason_bytes)
{
    uint64_t value;
    int error = count_parse(text, UINT32_MAX, &value, reason, reason_bytes);
    if (!error)
        *(uint32_t *)field = (uint32_t)value;
    return error;
}

int parse_positive_uint32(const char *text, void *field, char *reason, size_t reason_bytes)
{
    uint32_t value;
    int error = parse_uint32(text, &value, reason, reason_bytes);
    if (!error && value == 0) {
        snprintf(reason, reason_bytes, "must be at least 1");
        error = -EINVAL;
    }
    if (!error)
        *(uint32_t *)field = value;
    return error;
}

int parse_uint64(const char *text, void *field, char *reason, size_t reason_bytes)
{
    return count_parse(text, UINT64_MAX, field, reason, reason_bytes);
}

int parse_duration(const char *text, void *field, char *reason, size_t reason_bytes)
{
    return duration_parse(text, field, reason, reason_bytes);
}

/* A duration d, or uniform:d: ranks start late by up to d. */
int parse_skew(const char *text, void *field, char *reason, size_t reason_bytes)
{
    static const char prefix[] = "uniform:";
    if (strncmp(text, prefix, sizeof prefix - 1) == 0)
        text += sizeof prefix - 1;
    return duration_parse(text, field, reason, reason_bytes);
}

int parse_ratio(const char *text, void *field, char *reason, size_t reason_bytes)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || value < 0) {
        snprintf(reason, reason_bytes, "'%s' is not a number of at least 0, such as 0.1", text);
        return -EINVAL;
    }
    *(double *)field = value;
    return 0;
}

int parse_protocol(const char *text, void *field, char *reason, size_t reason_bytes)
{
    if (strcmp(text, "auto") && strcmp(text, "best") && !protocol_find(text) && !protocol_allgather_find(text)) {
        int n = snprintf(reason, reason_bytes, "unknown protocol '%s': use auto, best", text);
        for (size_t i = 0; protocol_table[i] && n > 0 && (size_t)n < reason_bytes; i++)
            n += snprintf(reason + n, reason_bytes - (size_t)n, "%s%s", protocol_table[i + 1] ? ", " : " or ",
                          protocol_table[i]->name);
        return -EINVAL;
    }
    *(const char **)field = text;
    return 0;
}

/* Names out of `known`, comma between, or all of them: "all" stands for itself if it is known. */
static int parse_names(const char *text, const struct name_list *known, const char *what, struct name_list *out, char *reason,
                       size_t reason_bytes)
{
    struct name_list list = {.count = 0};
    if (strcmp(text, "all") == 0 && strcmp(known->name[0], "all")) {
        *out = *known;
        return 0;
    }
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ","), i = 0;
        while (i < known->count && (strncmp(known->name[i], at, length) || known->name[i][length]))
            i++;
        if (i == known->count || list.count == NAME_LIST_MAX) {
            int n = snprintf(reason, reason_bytes, "unknown %s '%.*s': use", what, (int)length, at);
            for (i = 0; i < known->count && n > 0 && (size_t)n < reason_bytes; i++)
                n += snprintf(reason + n, reason_bytes - (size_t)n, "%s %s", i ? "," : "", known->name[i]);
            return -EINVAL;
        }
        list.name[list.count++] = known->name[i];
    }
    *out = list;
    return 0;
}

/* Of any collective: which was asked for is not known yet. How many are all depends on the ranks. */
int parse_algorithm_list(const char *text, void *field, char *reason, size_t reason_bytes)
{
    struct name_list known = {.name = {"all", "best", "direct"}, .count = 3};
    for (size_t i = 0; schedule_table[i] && known.count < NAME_LIST_MAX; i++)
        if (schedule_table[i]->kind != SCHEDULE_SCATTER)
            known.name[known.count++] = schedule_table[i]->name;
    int error = parse_names(text, &known, "algorithm", field, reason, reason_bytes);
    const struct name_list *list = field;
    for (size_t i = 0; !error && list->count > 1 && i < list->count; i++)
        if (strcmp(list->name[i], "all") == 0) {
            snprintf(reason, reason_bytes, "all stands alone");
            error = -EINVAL;
        }
    return error;
}

int parse_partitioner_list(const char *text, void *field, char *reason, size_t reason_bytes)
{
    struct name_list known = {.count = 0};
    for (size_t i = 0; partitioner_table[i] && known.count < NAME_LIST_MAX; i++)
        known.name[known.count++] = partitioner_table[i]->name;
    return parse_names(text, &known, "partitioner", field, reason, reason_bytes);
}

int parse_channel_list(const char *text, void *field, char *reason, size_t reason_bytes)
{
    struct name_list known = {.count = 0};
    for (size_t i = 0; channel_kind_table[i]; i++)
        known.name[known.count++] = channel_kind_table[i]->name;
    return parse_names(text, &known, "channel", field, reason, reason_bytes);
}


/* The index of `text` in a list that ends with NULL, or -1 with a line in `reason`. */
static int word_index(const char *text, const char *const *words, char *reason, size_t reason_bytes)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    int n = snprintf(reason, reason_bytes, "unknown word '%s': use %s", text, words[0]);
    for (size_t i = 1; words[i] && n > 0 && (size_t)n < reason_bytes; i++)
        n += snprintf(reason + n, reason_bytes - (size_t)n, "%s%s", words[i + 1] ? ", " : " or ", words[i]);
    return -1;
}

int parse_variant(const char *text, void *field, char *reason, size_t reason_bytes)
{
    static const char *const words[] = {"paper", "extended", NULL};
    int i = word_index(text, words, reason, reason_bytes);
    if (i >= 0)
        *(const char **)field = words[i];
    return i < 0 ? -EINVAL : 0;
}

int parse_remap(const char *text, void *field, char *reason, size_t reason_bytes)
{
    static const char *const words[] = {"exch", "reorder", "auto", NULL};
    static const int remaps[] = {NUMBERING_EXCH, NUMBERING_REORDER, REMAP_AUTO};
    int i = word_index(text, words, reason, reason_bytes);
    if (i >= 0)
        *(int *)field = remaps[i];
    return i < 0 ? -EINVAL : 0;
}

int parse_pattern(const char *text, void *field, char *reason, size_t reason_bytes)
{
    static const char *const words[] = {"pingpong", "stream", NULL};
    int i = word_index(text, words, reason, reason_bytes);
    if (i >= 0)
        *(enum p2p_pattern *)field = i == 0 ? P2P_PINGPONG : P2P_STREAM;
    return i < 0 ? -EINVAL : 0;
}

int parse_buffers(const char *text, void *field, char *reason, size_t reason_bytes)
{
    static const char *const words[] = {"cold", "warm", NULL};
    int i = word_index(text, words, reason, reason_bytes);
    if (i >= 0)
        *(enum buffers *)field = i == 0 ? BUFFERS_COLD : BUFFERS_WARM;
    return i < 0 ? -EINVAL : 0;
}

int parse_buffer_memory(const char *text, void *field, char *reason, size_t reason_bytes)
{
    static const char *const words[] = {"private", "shared", NULL};
    int i = word_index(text, words, reason, reason_bytes);
    if (i >= 0)
        *(enum buffer_memory *)field = i == 0 ? BUFFER_MEMORY_PRIVATE : BUFFER_MEMORY_SHARED;
    return i < 0 ? -EINVAL : 0;
}

int parse_buffer_domain(const char *text, void *field, char *reason, size_t reason_bytes)
{
    uint64_t domain;
    if (strcmp(text, "local") == 0) {
        *(int32_t *)field = -1;
        return 0;
    }
    if (count_parse(text, INT32_MAX, &domain, reason, reason_bytes)) {
        snprintf(reason, reason_bytes, "'%s' is not a domain: use local or a number", text);
        return -EINVAL;
    }
    *(int32_t *)field = (int32_t)domain;
    return 0;
}

int parse_backend(const char *text, void *field, char *reason, size_t reason_bytes)
{
    static const char *const words[] = {"procs", "threads", NULL};
    int i = word_index(text, words, reason, reason_bytes);
    if (i >= 0)
        *(enum backend *)field = i == 0 ? BACKEND_PROCS : BACKEND_THREADS;
    return i < 0 ? -EINVAL : 0;
}

int parse_copying(const char *text, void *field, char *reason, size_t reason_bytes)
{
    static const char *const words[] = {"auto", "memcpy", "nontemporal", NULL};
    int i = word_index(text, words, reason, reason_bytes);
    if (i >= 0)
        *(enum copying *)field = (enum copying)i;
    return i < 0 ? -EINVAL : 0;
}

int parse_format(const char *text, void *field, char *reason, size_t reason_bytes)
{
    static const char *const words[] = {"table", "csv", "jsonl", NULL};
    int i = word_index(text, words, reason, reason_bytes);
    if (i >= 0)
        *(enum format *)field = (enum format)i;
    return i < 0 ? -EINVAL : 0;
}

int parse_export_format(const char *text, void *field, char *reason, size_t reason_bytes)
{
    static const char *const words[] = {"goal", "ti", "ti-list", NULL};
    int i = word_index(text, words, reason, reason_bytes);
    if (i >= 0)
        *(const char **)field = words[i];
    return i < 0 ? -EINVAL : 0;
}

int parse_flag(const char *text, void *field, char *reason, size_t reason_bytes)
{
    (void)text, (void)reason, (void)reason_bytes;
    *(int *)field = 1;
    return 0;
}

int parse_louder(const char *text, void *field, char *reason, size_t reason_bytes)
{
    (void)text, (void)reason, (void)reason_bytes;
    ++*(int *)field;
    return 0;
}

int parse_quiet(const char *text, void *field, char *reason, size_t reason_bytes)
{
    (void)text, (void)reason, (void)reason_bytes;
    *(int *)field = -1;
    return 0;
}
