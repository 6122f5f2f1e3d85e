/* What a finished GOAL program must hold to: no task waits for itself, and every message has both ends. */
#include "model/goal_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rank's steps and who follows them. */
struct form {
    const struct goal_step *step;
    const struct goal_follower *follower;
    uint32_t tasks;
};

/* Where everyone needs only what stands before, as is usual, there is no cycle. */
static int in_order(const struct form *f)
{
    for (uint32_t k = 0; k < f->tasks; k++)
        for (uint32_t i = f->step[k].follower; i < f->step[k + 1].follower; i++)
            if (f->follower[i].task <= k)
                return 0;
    return 1;
}

/* Takes away what can go, in any order; what is left of `waits` is on a cycle or behind one. Returns how many went. */
static uint32_t take_away(const struct form *f, uint32_t *waits, uint32_t *stack)
{
    uint32_t height = 0, gone = 0;
    for (uint32_t k = 0; k < f->tasks; k++)
        if ((waits[k] = f->step[k].waits) == 0)
            stack[height++] = k;
    while (height) {
        uint32_t k = stack[--height];
        gone++;
        for (uint32_t i = f->step[k].follower; i < f->step[k + 1].follower; i++)
            if (--waits[f->follower[i].task] == 0)
                stack[height++] = f->follower[i].task;
    }
    return gone;
}

/* Who is left waits for somebody left: going back from one to the next must come by the same twice. The last of those on the way
 * round. */
static uint32_t find_on_cycle(const struct form *f, const uint32_t *waits, uint32_t *before)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < f->tasks; k++) {
        if (!waits[k])
            continue;
        at = k;
        for (uint32_t i = f->step[k].follower; i < f->step[k + 1].follower; i++)
            before[f->follower[i].task] = k;
    }
    for (uint32_t n = 0; n < f->tasks; n++)
        at = before[at];
    uint32_t last = at;
    for (uint32_t on = before[at]; on != at; on = before[on])
        last = on > last ? on : last;
    return last;
}

/* 0, -ENOMEM, or -EINVAL with a task of the rank that requires itself. */
static int check_form(const struct form *form, uint32_t *task)
{
    if (in_order(form))
        return 0;
    uint32_t *waits = malloc(form->tasks * sizeof *waits), *other = malloc(form->tasks * sizeof *other);
    int err = waits && other ? 0 : -ENOMEM;
    if (!err && take_away(form, waits, other) < form->tasks) {
        *task = find_on_cycle(form, waits, other);
        err = -EINVAL;
    }
    free(waits);
    free(other);
    return err;
}

int goal_program_check_cycles(const struct goal_program *p, uint32_t *line, char *reason, size_t reason_bytes)
{
    uint32_t checked = GOAL_ANY, task = 0;
    int err = 0;
    for (uint32_t r = 0; r < p->ranks && !err; r++) {
        struct goal_span span = p->of_rank[r];
        if (!span.count || p->part[r].form == checked)
            continue;
        const struct goal_step *step = goal_program_steps(p, r);
        checked = p->part[r].form;
        err = check_form(&(struct form){step, (const struct goal_follower *)(step + span.count + 1), span.count}, &task);
        if (err != -EINVAL)
            continue;
        *line = goal_program_line(p, r, span.first + task);
        snprintf(reason, reason_bytes, "rank %u: this task requires itself, through those it requires: break the cycle", r);
    }
    return err;
}

/* What is sent to a rank less what it receives: counts, and sums of what messages look like, mixed in two ways. All zero where
 * they match, and hardly ever else: then the program would be found to be stuck when it is run. */
struct balance {
    uint64_t sum[2];
    int32_t count;
    uint32_t any; /* it has receives from any rank or of any tag */
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void weigh(struct balance *balance, uint32_t from, uint32_t tag, int sent)
{
    uint64_t message = (uint64_t)from << 32 | tag, a = mix(message + 0x9e3779b97f4a7c15u), b = mix(message ^ 0xd1b54a32d192ed03u);
    balance->sum[0] += sent ? a : -a;
    balance->sum[1] += sent ? b : -b;
    balance->count += sent ? 1 : -1;
}

static void weigh_rank(const struct goal_program *p, uint32_t rank, struct balance *balance)
{
    struct goal_span span = p->of_rank[rank];
    for (uint32_t i = span.first; i < span.first + span.count; i++) {
        const struct goal_step *step = goal_program_step(p, rank, i);
        if (step->kind == GOAL_CALC)
            continue;
        uint32_t peer = goal_program_peer(p, rank, i);
        if (step->kind == GOAL_SEND) {
            weigh(&balance[peer], rank, step->tag, 1);
        } else {
            weigh(&balance[rank], peer, step->tag, 0);
            balance[rank].any |= peer == GOAL_ANY || step->tag == GOAL_ANY;
        }
    }
}

/* One end of a message, as its other end knows it. */
struct message_end {
    uint32_t from, tag, line;
};

struct ends {
    struct message_end *end;
    uint32_t count, room;
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

static int put_end(struct ends *ends, struct message_end end)
{
    if (ends->count == ends->room) {
        uint32_t room = ends->room + ends->room / 2 + 64;
        struct message_end *larger = realloc(ends->end, room * sizeof *larger);
        if (!larger)
            return -ENOMEM;
        ends->end = larger;
        ends->room = room;
    }
    ends->end[ends->count++] = end;
    return 0;
}

/* The ends of messages to rank `to` that rank `of` has: of others what they send to it, of its own what it receives. */
static int gather(const struct goal_program *p, uint32_t of, uint32_t to, int kind, struct ends *ends)
{
    struct goal_span span = p->of_rank[of];
    int err = 0;
    for (uint32_t i = span.first; i < span.first + span.count && !err; i++) {
        const struct goal_step *step = goal_program_step(p, of, i);
        uint32_t peer = step->kind == kind ? goal_program_peer(p, of, i) : 0;
        if (step->kind == kind && (kind == GOAL_RECV || peer == to))
            err = put_end(ends, (struct message_end){kind == GOAL_RECV ? peer : of, step->tag, goal_program_line(p, of, i)});
    }
    return err;
}

static void tell_lonely(const struct message_end *end, uint32_t rank, int sent, uint32_t *line, char *reason, size_t reason_bytes)
{
    *line = end->line;
    if (sent)
        snprintf(reason, reason_bytes, "rank %u sends to rank %u with tag %u, who has no receive for it", end->from, rank,
                 end->tag);
    else
        snprintf(reason, reason_bytes, "rank %u receives from rank %u with tag %u, who sends nothing for it", rank, end->from,
                 end->tag);
}

static void tell_difference(uint32_t rank, int any, struct ends *sent, struct ends *received, uint32_t *line, char *reason,
                            size_t reason_bytes)
{
    if (any) {
        *line = sent->count > received->count ? sent->end[received->count].line : received->end[sent->count].line;
        snprintf(reason, reason_bytes, "rank %u has %u receives for the %u messages sent to it", rank, received->count,
                 sent->count);
        return;
    }
    if (sent->count)
        qsort(sent->end, sent->count, sizeof *sent->end, compare_ends);
    if (received->count)
        qsort(received->end, received->count, sizeof *received->end, compare_ends);
    for (uint32_t i = 0; i < sent->count || i < received->count; i++) {
        struct message_end s = i < sent->count ? sent->end[i] : (struct message_end){GOAL_ANY, GOAL_ANY, 0};
        struct message_end r = i < received->count ? received->end[i] : (struct message_end){GOAL_ANY, GOAL_ANY, 0};
        r.line = s.line; /* the same message, whatever the line */
        int order = i == sent->count ? 1 : i == received->count ? -1 : compare_ends(&s, &r);
        if (!order)
            continue;
        tell_lonely(order < 0 ? &sent->end[i] : &received->end[i], rank, order < 0, line, reason, reason_bytes);
        return;
    }
}

/* Which message of the rank's has one end only. */
static int tell_rank(const struct goal_program *p, uint32_t rank, int any, uint32_t *line, char *reason, size_t reason_bytes)
{
    struct ends sent = {0}, received = {0};
    int err = gather(p, rank, rank, GOAL_RECV, &received);
    for (uint32_t r = 0; r < p->ranks && !err; r++)
        err = gather(p, r, rank, GOAL_SEND, &sent);
    if (!err)
        tell_difference(rank, any, &sent, &received, line, reason, reason_bytes);
    free(sent.end);
    free(received.end);
    return err ? err : -EINVAL;
}

int goal_program_check_messages(const struct goal_program *p, uint32_t *line, char *reason, size_t reason_bytes)
{
    struct balance *balance = calloc(p->ranks, sizeof *balance);
    if (!balance)
        return -ENOMEM;
    for (uint32_t r = 0; r < p->ranks; r++)
        weigh_rank(p, r, balance);
    int err = 0;
    for (uint32_t r = 0; r < p->ranks && !err; r++) {
        const struct balance *b = &balance[r];
        if (b->count || (!b->any && (b->sum[0] || b->sum[1])))
            err = tell_rank(p, r, b->any != 0, line, reason, reason_bytes);
    }
    free(balance);
    return err;
}
