#include "experiments/host_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(struct host_list *list, char *name)
{
    if (!name)
        return -ENOMEM;
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        char **larger = list->count < HOST_LIST_MAX ? reallocarray(list->own, room, sizeof *larger) : NULL;
        if (!larger) {
            free(name);
            return -ENOMEM;
        }
        list->own = larger;
        list->room = room;
    }
    list->own[list->count++] = name;
    return 0;
}

/* A number at *at, at most nine digits; how many there were. */
static int take_number(const char **at, unsigned *number)
{
    int digits = 0;
    for (*number = 0; **at >= '0' && **at <= '9' && digits < 10; ++*at, digits++)
        *number = 10 * *number + (unsigned)(**at - '0');
    return digits < 10 ? digits : 0;
}

/* head[1-3,7]tail, `at` behind the bracket, `tail` behind the other. */
static int add_range(struct host_list *list, const char *head, int head_bytes, const char *at, const char *tail, int tail_bytes)
{
    for (;;) {
        unsigned first, last;
        int digits = take_number(&at, &first), error = 0;
        last = first;
        if (!digits || (*at == '-' && (++at, !take_number(&at, &last))) || last < first || (*at != ',' && *at != ']'))
            return -EINVAL;
        for (unsigned i = first; i <= last && !error; i++) {
            char *name = NULL;
            if (asprintf(&name, "%.*s%0*u%.*s", head_bytes, head, digits, i, tail_bytes, tail) < 0)
                name = NULL;
            error = add(list, name);
        }
        if (error || *at == ']')
            return error;
        at++;
    }
}

static int is_name(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] <= ' ' || text[i] > '~' || strchr("[]=#\"'\\$`", text[i]))
            return 0;
    return 1;
}

/* One item; moves to its end. */
static int parse_item(const char **at, struct host_list *out)
{
    const char *start = *at, *open = start + strcspn(start, ",[");
    const char *close = *open == '[' ? strchr(open, ']') : NULL, *tail = close ? close + 1 : open;
    *at = tail + strcspn(tail, ",");
    if (*at == start || (*open == '[' && !close) || !is_name(start, (size_t)(open - start)) ||
        !is_name(tail, (size_t)(*at - tail)))
        return -EINVAL;
    return close ? add_range(out, start, (int)(open - start), open + 1, tail, (int)(*at - tail))
                 : add(out, strndup(start, (size_t)(*at - start)));
}

int host_list_parse(const char *text, struct host_list *out, char *reason, size_t reason_bytes)
{
    const char *at = text;
    *out = (struct host_list){.count = 0};
    for (;;) {
        const char *start = at;
        int error = parse_item(&at, out);
        if (error == -EINVAL)
            snprintf(reason, reason_bytes, "expected a name at '%.60s': write a,b or node[1-8]", start);
        else if (error)
            snprintf(reason, reason_bytes, "no memory for that many names, or more than %d", HOST_LIST_MAX);
        if (error) {
            host_list_destroy(out);
            return error;
        }
        out->name = (const char *const *)out->own;
        if (!*at)
            return 0;
        at++;
    }
}

void host_list_destroy(struct host_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->own[i]);
    free(list->own);
    *list = (struct host_list){.count = 0};
}
