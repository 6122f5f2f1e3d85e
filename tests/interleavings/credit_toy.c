#include "tests/interleavings/credit_toy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct credit_rules credit_rules_right = {
    .name = "credits",
    .spend = credit_sender_spend,
    .give = credit_sender_give,
    .hear = credit_sender_hear,
    .see = credit_account_see,
    .release = credit_account_release,
    .tell = credit_account_tell,
    .due = credit_account_due,
    .seek = credit_pool_seek,
};

/* The move under way. */
struct actor {
    const struct credit_case *c;
    const struct credit_rules *rules;
    struct credit_state *state;
    struct credit_own *own;
    struct credit_shared *mine;
    uint32_t rank;
    enum credit_violation violation;
};

/* Accounts leave out their owner. */
static uint32_t account_of(uint32_t rank, uint32_t peer)
{
    return peer < rank ? peer : peer - 1;
}

static uint32_t peer_of(uint32_t rank, uint32_t account)
{
    return account < rank ? account : account + 1;
}

const char *credit_violation_string(enum credit_violation violation)
{
    static const char *const name[] = {"ok", "overflow", "slot not known to be read", "room too small", "unsound", "overdrawn",
                                       "messages in disorder", "request unheard", "leftover", "deadlock"};
    return name[violation];
}

void credit_move_format(const void *context, const void *state, uint32_t rank, uint32_t move, char *text, uint32_t text_bytes)
{
    (void)context;
    (void)state;
    static const char *const alone[] = {"finish", "read", "keep", "ask"};
    static const char *const with[] = {"post", "send", "hear", "give", "take"};
    if (move < CREDIT_MOVE_PEER)
        snprintf(text, text_bytes, "%u:%s ", rank, alone[move]);
    else
        snprintf(text, text_bytes, "%u:%s(%u) ", rank, with[(move - CREDIT_MOVE_PEER) / CREDIT_RANKS_MAX],
                 (move - CREDIT_MOVE_PEER) % CREDIT_RANKS_MAX);
}

int credit_toy_start(const struct credit_case *c, struct credit_state *out)
{
    if (c->ranks < 2 || c->ranks > CREDIT_RANKS_MAX || c->slots > CREDIT_SLOTS_MAX)
        return -EINVAL;
    memset(out, 0, sizeof *out);
    for (uint32_t r = 0; r < c->ranks; r++) {
        struct credit_own *own = &out->own[r];
        int err = credit_pool_start(&own->pool, c->ranks - 1, c->initial, c->slots);
        if (err)
            return err;
        for (uint32_t j = 0; j < c->ranks; j++) {
            if (j == r)
                continue;
            credit_sender_start(&own->sender[j], c->initial, c->total);
            credit_account_start(&own->account[account_of(r, j)], c->initial, c->total);
            out->shared[r].word[j] = c->total + c->initial;
            own->left[j] = c->messages[r][j];
        }
    }
    return 0;
}

static int blame(struct actor *a, enum credit_violation violation)
{
    if (!a->violation)
        a->violation = violation;
    return 1;
}

/* What must hold of this rank's own part after each of its moves. */
static void check_own(struct actor *a)
{
    uint32_t room = a->mine->tail - a->mine->head;
    if (!credit_pool_sound(&a->own->pool, a->own->account, a->c->slots))
        blame(a, CREDIT_UNSOUND);
    for (uint32_t j = 0; j < a->c->ranks; j++) {
        if (j == a->rank)
            continue;
        const struct credit_account *account = &a->state->own[j].account[account_of(j, a->rank)];
        room += a->own->kept[j];
        if ((int32_t)credit_sender_credits(&a->own->sender[j]) < 0 || (int32_t)(account->allowed - a->own->sender[j].limit) < 0)
            blame(a, CREDIT_OVERDRAWN);
    }
    if (room > a->c->slots)
        blame(a, CREDIT_CROWDED);
}

/* Takes the next slot number of that peer's queue: one access, which may order what was known before with what follows. */
static int number_take(struct actor *a, uint32_t peer, struct credit_packet packet)
{
    struct credit_shared *theirs = &a->state->shared[peer];
    uint32_t *known = &a->own->known[peer];
    packet.from = (uint8_t)a->rank;
    packet.read = a->mine->head;
    if (!a->rules->numbers_relaxed) {
        *known = *known > theirs->tail_known ? *known : theirs->tail_known;
        theirs->tail_known = *known;
    }
    a->own->slot_number = theirs->tail++;
    a->own->packet = packet;
    a->own->peer = (uint8_t)peer;
    a->own->phase = CREDIT_FILLING;
    return 1;
}

static int slot_fill(struct actor *a)
{
    struct credit_own *own = a->own;
    struct credit_packet *slot = &a->state->shared[own->peer].queue[own->slot_number % a->c->slots];
    if (slot->kind != CREDIT_NO_PACKET || own->slot_number - a->state->shared[own->peer].head >= a->c->slots)
        return blame(a, CREDIT_OVERFLOW);
    if (own->slot_number >= own->known[own->peer] + a->c->slots)
        return blame(a, CREDIT_UNKNOWN);
    *slot = own->packet;
    memset(&own->packet, 0, sizeof own->packet);
    own->slot_number = 0;
    own->phase = CREDIT_AT_EASE;
    return 1;
}

static void slot_free(struct actor *a)
{
    struct credit_packet *slot = &a->mine->queue[a->mine->head++ % a->c->slots];
    memset(slot, 0, sizeof *slot);
}

static int move_finish(struct actor *a)
{
    if (a->own->phase == CREDIT_FILLING)
        return slot_fill(a);
    if (a->own->phase == CREDIT_TELLING) {
        uint32_t peer = a->own->peer;
        a->state->shared[peer].word[a->rank] = a->rules->tell(&a->own->pool, &a->own->account[account_of(a->rank, peer)]);
        a->state->shared[peer].word_read[a->rank] = a->mine->head + (uint32_t)a->rules->tells_early;
    } else {
        slot_free(a);
    }
    a->own->phase = a->rules->tells_early && a->own->phase == CREDIT_TELLING ? CREDIT_FREEING : CREDIT_AT_EASE;
    return 1;
}

static void tell_if_due(struct actor *a, uint32_t peer, enum credit_phase otherwise)
{
    int due = a->rules->due(&a->own->pool, &a->own->account[account_of(a->rank, peer)]);
    a->own->peer = (uint8_t)peer;
    a->own->phase = (uint8_t)(due ? CREDIT_TELLING : otherwise);
}

static void message_arrives(struct actor *a, const struct credit_packet *p)
{
    if (p->number != a->own->taken[p->from])
        blame(a, CREDIT_DISORDER);
    a->own->taken[p->from]++;
    int64_t idle = a->rules->seek(&a->own->pool, a->own->account);
    a->own->idle = idle == CREDIT_NOBODY ? 0 : (uint8_t)(peer_of(a->rank, (uint32_t)idle) + 1);
}

/* The arithmetic of a packet read; whether it was heard is judged by what its sender really wanted. */
static void packet_account(struct actor *a, const struct credit_packet *p, int keep)
{
    struct credit_pool *pool = &a->own->pool;
    struct credit_account *account = &a->own->account[account_of(a->rank, p->from)];
    uint32_t extension = account->extension, plenty = pool->free > 0 && pool->unmet == account->wish;
    a->rules->hear(&a->own->sender[p->from], p->note.limit, p->note.flags);
    if (a->own->known[p->from] < p->read)
        a->own->known[p->from] = p->read;
    a->rules->see(pool, account, &p->note);
    if (p->wants && plenty && account->extension <= extension)
        blame(a, CREDIT_UNHEARD);
    if (keep)
        a->own->kept[p->from]++;
    else
        a->rules->release(pool, account, p->note.flags);
}

/* Whether something waits for credits only: where an executor must go on reading. */
static int stuck(const struct actor *a)
{
    for (uint32_t j = 0; j < a->c->ranks; j++)
        if (a->own->waiting[j] && credit_sender_credits(&a->own->sender[j]) == 0)
            return 1;
    return 0;
}

static int move_read(struct actor *a, int keep)
{
    struct credit_packet p = a->mine->queue[a->mine->head % a->c->slots];
    if (p.kind == CREDIT_NO_PACKET || (a->rules->sends_first && stuck(a)))
        return 0;
    if (keep && (p.kind != CREDIT_DATA || a->own->kept[p.from] >= a->c->keeps))
        return 0;
    packet_account(a, &p, keep);
    if (p.kind == CREDIT_DATA)
        message_arrives(a, &p);
    if (!a->rules->tells_early)
        slot_free(a);
    tell_if_due(a, p.from, a->rules->tells_early ? CREDIT_FREEING : CREDIT_AT_EASE);
    return 1;
}

/* Every packet tells the limit of the way back. */
static struct credit_packet packet_begin(struct actor *a, uint32_t peer, uint8_t kind, uint16_t flags)
{
    struct credit_packet p = {.kind = kind};
    p.note.flags = flags;
    p.note.limit = a->rules->tell(&a->own->pool, &a->own->account[account_of(a->rank, peer)]);
    return p;
}

static int move_ask(struct actor *a)
{
    if (!a->own->idle)
        return 0;
    uint32_t peer = a->own->idle - 1u;
    a->own->idle = 0;
    if (credit_sender_credits(&a->own->sender[peer]) == 0)
        return 1;
    struct credit_packet p = packet_begin(a, peer, CREDIT_BARE, CREDIT_RECALL);
    a->rules->spend(&a->own->sender[peer], a->own->waiting[peer], &p.note);
    p.wants = a->own->waiting[peer] > credit_sender_credits(&a->own->sender[peer]);
    return number_take(a, peer, p);
}

static int move_post(struct actor *a, uint32_t peer)
{
    uint8_t burst = a->c->burst[a->rank][peer];
    if (a->own->waiting[peer] || !a->own->left[peer])
        return 0;
    if (burst == 0 || burst > a->own->left[peer])
        burst = a->own->left[peer];
    a->own->waiting[peer] = burst;
    a->own->left[peer] -= burst;
    return 1;
}

static int move_send(struct actor *a, uint32_t peer)
{
    struct credit_sender *s = &a->own->sender[peer];
    if (!a->own->waiting[peer] || credit_sender_credits(s) == 0)
        return 0;
    struct credit_packet p = packet_begin(a, peer, CREDIT_DATA, 0);
    p.number = a->own->sent[peer]++;
    a->rules->spend(s, --a->own->waiting[peer], &p.note);
    p.wants = a->own->waiting[peer] > credit_sender_credits(s);
    return number_take(a, peer, p);
}

static int move_hear(struct actor *a, uint32_t peer)
{
    struct credit_sender *s = &a->own->sender[peer];
    uint32_t limit = s->limit;
    if (!a->own->waiting[peer] || credit_sender_credits(s) > 0 || a->rules->word_unread)
        return 0;
    a->rules->hear(s, a->mine->word[peer], 0);
    if (s->limit == limit)
        return 0;
    if (a->own->known[peer] < a->mine->word_read[peer])
        a->own->known[peer] = a->mine->word_read[peer];
    return 1;
}

static int move_give(struct actor *a, uint32_t peer)
{
    if (!credit_sender_gives(&a->own->sender[peer], a->own->waiting[peer]))
        return 0;
    struct credit_packet p = packet_begin(a, peer, CREDIT_BARE, 0);
    a->rules->give(&a->own->sender[peer], &p.note);
    return number_take(a, peer, p);
}

static int move_take(struct actor *a, uint32_t peer)
{
    if (!a->own->kept[peer])
        return 0;
    a->own->kept[peer]--;
    a->rules->release(&a->own->pool, &a->own->account[account_of(a->rank, peer)], 0);
    tell_if_due(a, peer, CREDIT_AT_EASE);
    return 1;
}

static int move_with(struct actor *a, uint32_t move)
{
    static int (*const with[])(struct actor *, uint32_t) = {move_post, move_send, move_hear, move_give, move_take};
    uint32_t peer = (move - CREDIT_MOVE_PEER) % CREDIT_RANKS_MAX;
    return peer < a->c->ranks && peer != a->rank && with[(move - CREDIT_MOVE_PEER) / CREDIT_RANKS_MAX](a, peer);
}

int credit_toy_move(const struct credit_case *c, const struct credit_rules *rules, struct credit_state *state, uint32_t rank,
                    uint32_t move, enum credit_violation *violation)
{
    struct actor a = {c, rules, state, &state->own[rank], &state->shared[rank], rank, CREDIT_OK};
    int moved = 0;
    if (a.own->phase != CREDIT_AT_EASE)
        moved = move == CREDIT_MOVE_FINISH && move_finish(&a);
    else if (move == CREDIT_MOVE_READ || move == CREDIT_MOVE_KEEP)
        moved = move_read(&a, move == CREDIT_MOVE_KEEP);
    else if (move == CREDIT_MOVE_ASK)
        moved = move_ask(&a);
    else if (move >= CREDIT_MOVE_PEER)
        moved = move_with(&a, move);
    if (a.own->phase == CREDIT_AT_EASE)
        a.own->peer = 0;
    if (moved)
        check_own(&a);
    *violation = a.violation;
    return moved;
}

/* Every credit is back where it can be used. */
static int pair_settled(const struct credit_state *state, uint32_t from, uint32_t to)
{
    const struct credit_sender *s = &state->own[from].sender[to];
    const struct credit_account *account = &state->own[to].account[account_of(to, from)];
    return s->spent == account->seen && account->seen == account->released &&
           (s->limit == account->allowed || state->shared[from].word[to] == account->allowed);
}

enum credit_violation credit_toy_final(const struct credit_case *c, const struct credit_state *state)
{
    enum credit_violation violation = CREDIT_OK;
    for (uint32_t r = 0; r < c->ranks; r++) {
        const struct credit_own *own = &state->own[r];
        int empty = state->shared[r].head == state->shared[r].tail && own->phase == CREDIT_AT_EASE;
        for (uint32_t j = 0; j < c->ranks; j++) {
            if (j == r)
                continue;
            if (own->left[j] || own->waiting[j] || own->kept[j] || !empty)
                return CREDIT_DEADLOCK;
            if (own->sent[j] != c->messages[r][j] || state->own[j].taken[r] != c->messages[r][j])
                return CREDIT_DISORDER;
            if (!pair_settled(state, r, j))
                violation = CREDIT_LEFTOVER;
        }
    }
    return violation;
}
