#include "kernels/step_text.h"

#include <stdio.h>

static int is_wait(const struct step *s)
{
    return s->op == STEP_WAIT_EQ || s->op == STEP_WAIT_NE || s->op == STEP_WAIT_GE;
}

static int64_t word_writer(const struct step_at *at)
{
    const struct bcast_call *call = at->call;
    const struct step *s = &at->step;
    int own = s->owner == call->rank;
    switch (s->word) {
    case WORD_SET_OP:
        return at->root;
    case WORD_SET_NREADERS:
        return -1;
    case WORD_CONTROL:
    case WORD_LINE: /* its owner reads it */
        return own && call->rank != at->root ? (int64_t)tree_parent(call->tree, at->root, call->rank)
               : own                         ? -1
                                             : (int64_t)s->owner;
    default:
        return own ? -1 : (int64_t)s->owner;
    }
}

int64_t step_text_awaited(const struct step_at *at)
{
    const struct step *s = &at->step;
    if (is_wait(s))
        return word_writer(at);
    if (s->op != STEP_COPY)
        return -1;
    const struct step_place *other = s->from.kind == PLACE_PEER ? &s->from : s->to.kind == PLACE_PEER ? &s->to : NULL;
    return other ? (int64_t)other->owner : -1;
}

void step_text_brief(const struct step_at *at, char *text, size_t text_bytes)
{
    int64_t awaited = step_text_awaited(at);
    const char *name = step_name_string(at->step.name);
    if (awaited >= 0)
        snprintf(text, text_bytes, "%s for rank %lld", name, (long long)awaited);
    else
        snprintf(text, text_bytes, "%s%s", name, is_wait(&at->step) ? " for the others" : "");
}

void step_text_word(const struct step *s, char *text, size_t text_bytes)
{
    static const char *const kind[WORD_KIND_COUNT] = {
        [WORD_SET_OP] = "set_op",   [WORD_SET_NREADERS] = "set_nreaders", [WORD_CONTROL] = "control", [WORD_LINE] = "line",
        [WORD_ACK] = "ack",         [WORD_COUNTER] = "counter",           [WORD_OFFER] = "offer"};
    const char *name = s->word < WORD_KIND_COUNT ? kind[s->word] : "?";
    if (s->word == WORD_SET_OP || s->word == WORD_SET_NREADERS)
        snprintf(text, text_bytes, "%s[%u]", name, s->index);
    else if (s->word == WORD_ACK || s->word == WORD_OFFER)
        snprintf(text, text_bytes, "%s[%u]", name, s->owner);
    else
        snprintf(text, text_bytes, "%s[%u][%u]", name, s->owner, s->index);
}
