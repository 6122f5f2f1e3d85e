#include "sim/goal_match.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int goal_match_create(struct goal_match *match, const struct goal_program *program, const uint32_t *rank_of)
{
    size_t lists = program->ranks * sizeof *match->posted;
    *match = (struct goal_match){.program = program, .rank_of = rank_of};
    match->posted = malloc(lists);
    match->come = malloc(lists);
    match->next = malloc(((size_t)program->tasks + 1) * sizeof *match->next);
    if (!match->posted || !match->come || !match->next) {
        goal_match_destroy(match);
        return -ENOMEM;
    }
    memset(match->posted, 0xff, lists);
    memset(match->come, 0xff, lists);
    return 0;
}

void goal_match_destroy(struct goal_match *match)
{
    free(match->posted);
    free(match->come);
    free(match->next);
    *match = (struct goal_match){0};
}

static void append(struct goal_match *match, struct goal_list *list, uint32_t task)
{
    match->next[task] = GOAL_ANY;
    if (list->head == GOAL_ANY)
        list->head = task;
    else
        match->next[list->tail] = task;
    list->tail = task;
}

static void take_out(struct goal_match *match, struct goal_list *list, uint32_t before, uint32_t task)
{
    if (before == GOAL_ANY)
        list->head = match->next[task];
    else
        match->next[before] = match->next[task];
    if (list->tail == task)
        list->tail = before;
}

static int fits(const struct goal_match *match, uint32_t send, uint32_t receive)
{
    uint32_t from = match->rank_of[send], to = match->rank_of[receive], peer = goal_program_peer(match->program, to, receive);
    uint32_t tag = goal_program_step(match->program, to, receive)->tag;
    return (peer == GOAL_ANY || peer == from) && (tag == GOAL_ANY || tag == goal_program_step(match->program, from, send)->tag);
}

uint32_t goal_match_message(struct goal_match *match, uint32_t send)
{
    uint32_t rank = goal_program_peer(match->program, match->rank_of[send], send), before = GOAL_ANY;
    for (uint32_t at = match->posted[rank].head; at != GOAL_ANY; before = at, at = match->next[at])
        if (fits(match, send, at)) {
            take_out(match, &match->posted[rank], before, at);
            return at;
        }
    append(match, &match->come[rank], send);
    return GOAL_ANY;
}

uint32_t goal_match_receive(struct goal_match *match, uint32_t receive)
{
    uint32_t rank = match->rank_of[receive], before = GOAL_ANY;
    for (uint32_t at = match->come[rank].head; at != GOAL_ANY; before = at, at = match->next[at])
        if (fits(match, at, receive)) {
            take_out(match, &match->come[rank], before, at);
            return at;
        }
    append(match, &match->posted[rank], receive);
    return GOAL_ANY;
}

void goal_match_tell(const struct goal_match *match, char *reason, size_t reason_bytes)
{
    enum { TOLD_MAX = 4 };
    uint32_t waiting = 0;
    int at = snprintf(reason, reason_bytes, "deadlock:");
    for (uint32_t r = 0; r < match->program->ranks; r++) {
        uint32_t task = match->posted[r].head;
        if (task == GOAL_ANY || waiting++ >= TOLD_MAX || at < 0 || (size_t)at >= reason_bytes)
            continue;
        const struct goal_task t = goal_program_task(match->program, r, task);
        char from[32] = "any rank", line[32] = "";
        if (t.peer != GOAL_ANY)
            snprintf(from, sizeof from, "rank %" PRIu32, t.peer);
        if (t.line)
            snprintf(line, sizeof line, " (line %" PRIu32 ")", t.line);
        at += snprintf(reason + at, reason_bytes - (size_t)at, "%s rank %" PRIu32 " waits for %s%s", waiting > 1 ? "," : "", r,
                       from, line);
    }
    if (waiting > TOLD_MAX && at > 0 && (size_t)at < reason_bytes)
        snprintf(reason + at, reason_bytes - (size_t)at, ", and %" PRIu32 " ranks more wait", waiting - TOLD_MAX);
}
