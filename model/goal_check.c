/* What a finished GOAL program must hold to: no task waits for itself, and every message has both ends. */
#include "model/goal_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes away what can go, in any order; what is left of `waits` is on a cycle or behind one. Returns how many went. */
static uint32_t take_away(const struct goal_program *p, uint32_t *waits, uint32_t *stack)
{
    uint32_t height = 0, gone = 0;
    for (uint32_t i = 0; i < p->tasks; i++)
        if (waits[i] == 0)
            stack[height++] = i;
    while (height) {
        uint32_t i = stack[--height];
        gone++;
        for (uint32_t f = p->first_follower[i]; f < p->first_follower[i + 1]; f++)
            if (--waits[p->follower[f].task] == 0)
                stack[height++] = p->follower[f].task;
    }
    return gone;
}

/* Who is left waits for somebody left: going back from one to the next must come by the same twice. */
static uint32_t find_on_cycle(const struct goal_program *p, const uint32_t *waits, uint32_t *before)
{
    uint32_t at = GOAL_ANY;
    for (uint32_t i = 0; i < p->tasks; i++) {
        if (!waits[i])
            continue;
        at = i;
        for (uint32_t f = p->first_follower[i]; f < p->first_follower[i + 1]; f++)
            before[p->follower[f].task] = i;
    }
    for (uint32_t k = 0; k < p->tasks; k++)
        at = before[at];
    return at;
}

int goal_program_check_cycles(const struct goal_program *p, uint32_t *line, char *reason, size_t reason_bytes)
{
    uint32_t *waits = malloc(((size_t)p->tasks + 1) * sizeof *waits), *other = malloc(((size_t)p->tasks + 1) * sizeof *other);
    int err = waits && other ? 0 : -ENOMEM;
    if (!err) {
        memcpy(waits, p->waits, p->tasks * sizeof *waits);
        if (take_away(p, waits, other) < p->tasks) {
            uint32_t task = find_on_cycle(p, waits, other);
            *line = p->task[task].line;
            snprintf(reason, reason_bytes, "rank %u: this task requires itself, through those it requires: break the cycle",
                     goal_program_rank_of(p, task));
            err = -EINVAL;
        }
    }
    free(waits);
    free(other);
    return err;
}

/* One end of a message, as its other end knows it. */
struct message_end {
    uint32_t from, tag, line;
};

static int compare_ends(const void *a, const void *b)
{
    const struct message_end *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Sends, sorted by where they go: those to rank r are end[first[r]] to before end[first[r + 1]]. */
static int gather_sends(const struct goal_program *p, uint32_t **first, struct message_end **end)
{
    size_t sends = 0;
    uint32_t *at = *first = calloc((size_t)p->ranks + 2, sizeof **first);
    if (!at)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->tasks; i++)
        if (p->task[i].kind == GOAL_SEND)
            at[p->task[i].peer + 2]++, sends++;
    for (uint32_t r = 1; r <= p->ranks; r++)
        at[r + 1] += at[r];
    *end = malloc((sends + 1) * sizeof **end);
    if (!*end)
        return -ENOMEM;
    for (uint32_t r = 0; r < p->ranks; r++)
        for (uint32_t k = 0; k < p->of_rank[r].count; k++) {
            const struct goal_task *t = &p->task[p->of_rank[r].first + k];
            if (t->kind == GOAL_SEND)
                (*end)[at[t->peer + 1]++] = (struct message_end){r, t->tag, t->line};
        }
    return 0;
}

static uint32_t gather_receives(const struct goal_program *p, uint32_t rank, struct message_end *end, int *any)
{
    uint32_t count = 0;
    *any = 0;
    for (uint32_t k = 0; k < p->of_rank[rank].count; k++) {
        const struct goal_task *t = &p->task[p->of_rank[rank].first + k];
        if (t->kind != GOAL_RECV)
            continue;
        *any |= t->peer == GOAL_ANY || t->tag == GOAL_ANY;
        end[count++] = (struct message_end){t->peer, t->tag, t->line};
    }
    return count;
}

static int lonely(const struct message_end *end, uint32_t rank, int sent, uint32_t *line, char *reason, size_t reason_bytes)
{
    *line = end->line;
    if (sent)
        snprintf(reason, reason_bytes, "rank %u sends to rank %u with tag %u, who has no receive for it", end->from, rank,
                 end->tag);
    else
        snprintf(reason, reason_bytes, "rank %u receives from rank %u with tag %u, who sends nothing for it", rank, end->from,
                 end->tag);
    return -EINVAL;
}

static int compare_rank(uint32_t rank, struct message_end *sent, uint32_t sends, struct message_end *received, uint32_t receives,
                        int any, uint32_t *line, char *reason, size_t reason_bytes)
{
    if (any) {
        if (sends == receives)
            return 0;
        *line = sends > receives ? sent[receives].line : received[sends].line;
        snprintf(reason, reason_bytes, "rank %u has %u receives for the %u messages sent to it", rank, receives, sends);
        return -EINVAL;
    }
    qsort(sent, sends, sizeof *sent, compare_ends);
    qsort(received, receives, sizeof *received, compare_ends);
    for (uint32_t i = 0; i < sends || i < receives; i++) {
        struct message_end s = i < sends ? sent[i] : (struct message_end){GOAL_ANY, GOAL_ANY, 0};
        struct message_end r = i < receives ? received[i] : (struct message_end){GOAL_ANY, GOAL_ANY, 0};
        r.line = s.line; /* the same message, whatever the line */
        int order = i == sends ? 1 : i == receives ? -1 : compare_ends(&s, &r);
        if (order)
            return lonely(order < 0 ? &sent[i] : &received[i], rank, order < 0, line, reason, reason_bytes);
    }
    return 0;
}

int goal_program_check_messages(const struct goal_program *p, uint32_t *line, char *reason, size_t reason_bytes)
{
    uint32_t *first = NULL, most = 0;
    struct message_end *sent = NULL, *received = NULL;
    int err = gather_sends(p, &first, &sent);
    for (uint32_t r = 0; r < p->ranks; r++)
        most = p->of_rank[r].count > most ? p->of_rank[r].count : most;
    if (!err && !(received = malloc(((size_t)most + 1) * sizeof *received)))
        err = -ENOMEM;
    for (uint32_t r = 0; !err && r < p->ranks; r++) {
        int any;
        uint32_t receives = gather_receives(p, r, received, &any);
        err = compare_rank(r, sent + first[r], first[r + 1] - first[r], received, receives, any, line, reason, reason_bytes);
    }
    free(first);
    free(sent);
    free(received);
    return err;
}
