#include "experiments/sizes.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits at the front of `text`; *end is what follows them. */
static int digits_parse(const char *text, uint64_t *out, const char **end, char *reason, size_t reason_bytes)
{
    uint64_t value = 0;
    const char *c = text;
    for (; isdigit((unsigned char)*c); c++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value)) {
            snprintf(reason, reason_bytes, "'%s' is too large", text);
            return -EINVAL;
        }
    if (c == text) {
        snprintf(reason, reason_bytes, "'%s' is not a number: write digits, such as 4096 or 64K", text);
        return -EINVAL;
    }
    *out = value;
    *end = c;
    return 0;
}

int size_parse(const char *text, uint64_t *out, char *reason, size_t reason_bytes)
{
    static const char suffixes[] = "KMG";
    uint64_t value;
    const char *end;
    if (digits_parse(text, &value, &end, reason, reason_bytes))
        return -EINVAL;
    if (*end) {
        const char *suffix = strchr(suffixes, *end);
        if (!suffix || end[1]) {
            snprintf(reason, reason_bytes, "'%s' ends in '%s': use K, M or G (powers of 1024) or nothing", text, end);
            return -EINVAL;
        }
        if (__builtin_mul_overflow(value, UINT64_C(1) << (10 * (suffix - suffixes + 1)), &value)) {
            snprintf(reason, reason_bytes, "'%s' is too large", text);
            return -EINVAL;
        }
    }
    if (value > INT64_MAX) {
        snprintf(reason, reason_bytes, "'%s' is too large", text);
        return -EINVAL;
    }
    *out = value;
    return 0;
}

static int list_append(struct size_list *list, uint64_t value, char *reason, size_t reason_bytes)
{
    if (list->count == SIZE_LIST_MAX) {
        snprintf(reason, reason_bytes, "more than %d values: use a shorter list", SIZE_LIST_MAX);
        return -EINVAL;
    }
    list->value[list->count++] = value;
    return 0;
}

/* One item of a list: a size, or a doubling range A..B. */
static int item_parse(char *item, struct size_list *list, char *reason, size_t reason_bytes)
{
    uint64_t first, last;
    char *dots = strstr(item, "..");
    if (!dots) {
        int error = size_parse(item, &first, reason, reason_bytes);
        return error ? error : list_append(list, first, reason, reason_bytes);
    }
    *dots = 0;
    if (size_parse(item, &first, reason, reason_bytes) || size_parse(dots + 2, &last, reason, reason_bytes))
        return -EINVAL;
    if (first == 0 || first > last) {
        snprintf(reason, reason_bytes, "range '%s..%s' must start above 0 and not end before it starts", item, dots + 2);
        return -EINVAL;
    }
    for (uint64_t value = first; value <= last; value *= 2)
        if (list_append(list, value, reason, reason_bytes))
            return -EINVAL;
    return 0;
}

int size_list_parse(const char *text, struct size_list *out, char *reason, size_t reason_bytes)
{
    struct size_list list = {.count = 0};
    char *copy = strdup(text), *rest = copy, *item;
    int error = copy ? 0 : -ENOMEM;
    while (!error && (item = strsep(&rest, ",")))
        error = item_parse(item, &list, reason, reason_bytes);
    free(copy);
    if (!error)
        *out = list;
    return error;
}

int count_parse(const char *text, uint64_t maximum, uint64_t *out, char *reason, size_t reason_bytes)
{
    uint64_t value;
    const char *end;
    if (digits_parse(text, &value, &end, reason, reason_bytes))
        return -EINVAL;
    if (*end || value > maximum) {
        snprintf(reason, reason_bytes, *end ? "'%s' is not a whole number" : "'%s' is too large", text);
        return -EINVAL;
    }
    *out = value;
    return 0;
}

int duration_parse(const char *text, double *out_s, char *reason, size_t reason_bytes)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    char *end;
    double value = strtod(text, &end);
    if (end != text && isfinite(value) && value >= 0)
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strcmp(end, units[i].name) == 0) {
                *out_s = value * units[i].scale;
                return 0;
            }
    snprintf(reason, reason_bytes, "'%s' is not a duration: write a number with ns, us, ms or s, such as 10us", text);
    return -EINVAL;
}

const char *size_format(uint64_t bytes, char *text, size_t text_bytes)
{
    static const char suffixes[] = "GMK";
    for (int i = 0; i < 3; i++) {
        uint64_t unit = UINT64_C(1) << (30 - 10 * i);
        if (bytes >= unit && bytes % unit == 0) {
            snprintf(text, text_bytes, "%llu%c", (unsigned long long)(bytes / unit), suffixes[i]);
            return text;
        }
    }
    snprintf(text, text_bytes, "%llu", (unsigned long long)bytes);
    return text;
}
