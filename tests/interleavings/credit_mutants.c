#include "tests/interleavings/credit_mutants.h"

/* What is granted is told, but taken from the pool only once for two. */
static void see_grants_twice(struct credit_pool *pool, struct credit_account *a, const struct credit_note *note)
{
    uint32_t extension = a->extension;
    credit_account_see(pool, a, note);
    if (a->extension > extension)
        a->extension += a->extension - extension;
}

/* The same without a trace in the accounts: the pool gets back what was granted. */
static void see_keeps_the_pool(struct credit_pool *pool, struct credit_account *a, const struct credit_note *note)
{
    uint32_t extension = a->extension;
    credit_account_see(pool, a, note);
    if (a->extension > extension)
        pool->free += a->extension - extension;
}

static void see_forgets_voided(struct credit_pool *pool, struct credit_account *a, const struct credit_note *note)
{
    struct credit_note without = *note;
    without.voided = 0;
    credit_account_see(pool, a, &without);
}

static void see_hears_no_request(struct credit_pool *pool, struct credit_account *a, const struct credit_note *note)
{
    struct credit_note without = *note;
    without.flags &= (uint16_t)~CREDIT_REQUEST;
    credit_account_see(pool, a, &without);
}

static void release_returns_twice(struct credit_pool *pool, struct credit_account *a, uint32_t flags)
{
    credit_account_release(pool, a, flags);
    a->released++;
}

static void release_returns_nothing(struct credit_pool *pool, struct credit_account *a, uint32_t flags)
{
    uint32_t released = a->released;
    credit_account_release(pool, a, flags);
    a->released = released;
}

/* Taken back for another, and still told to this sender. */
static void release_takes_and_returns(struct credit_pool *pool, struct credit_account *a, uint32_t flags)
{
    uint32_t extension = a->extension;
    credit_account_release(pool, a, flags);
    if (a->extension < extension)
        a->allowed++;
}

/* Takes back from the initial credits too. */
static void release_takes_all(struct credit_pool *pool, struct credit_account *a, uint32_t flags)
{
    (void)flags;
    a->released++;
    if (pool->unmet > a->wish)
        credit_account_set(pool, a, a->extension - 1, a->wish);
}

static void spend_asks_for_nothing(struct credit_sender *s, uint32_t waiting, struct credit_note *note)
{
    (void)waiting;
    credit_sender_spend(s, 0, note);
}

static void spend_is_free(struct credit_sender *s, uint32_t waiting, struct credit_note *note)
{
    uint32_t spent = s->spent;
    credit_sender_spend(s, waiting, note);
    s->spent = spent;
}

static void give_gives_and_keeps(struct credit_sender *s, struct credit_note *note)
{
    credit_sender_give(s, note);
    s->spent -= note->voided;
}

static void give_gives_initial(struct credit_sender *s, struct credit_note *note)
{
    credit_sender_give(s, note);
    note->voided++;
    s->spent++;
}

static void hear_believes_the_last(struct credit_sender *s, uint32_t limit, uint32_t flags)
{
    credit_sender_hear(s, limit, flags);
    s->limit = limit;
}

static void hear_adds(struct credit_sender *s, uint32_t limit, uint32_t flags)
{
    credit_sender_hear(s, limit, flags);
    s->limit += limit != s->limit;
}

static void hear_cannot_wrap(struct credit_sender *s, uint32_t limit, uint32_t flags)
{
    if (limit > s->limit)
        credit_sender_hear(s, limit, flags);
}

/* Tells of what was read, though its payload is still kept. */
static uint32_t tell_counts_seen(const struct credit_pool *pool, struct credit_account *a)
{
    credit_account_tell(pool, a);
    a->allowed = a->seen + pool->initial + a->extension;
    return a->allowed;
}

static uint32_t tell_forgets(const struct credit_pool *pool, struct credit_account *a)
{
    uint32_t allowed = a->allowed, limit = credit_account_tell(pool, a);
    a->allowed = allowed;
    return limit;
}

static int due_never(const struct credit_pool *pool, const struct credit_account *a)
{
    (void)pool;
    (void)a;
    return 0;
}

static int due_while_the_hand_is_full(const struct credit_pool *pool, const struct credit_account *a)
{
    return credit_account_due(pool, a) && a->allowed != a->seen;
}

static int64_t seek_takes_all(struct credit_pool *pool, struct credit_account *accounts)
{
    int64_t idle = credit_pool_seek(pool, accounts);
    if (idle != CREDIT_NOBODY)
        credit_account_set(pool, &accounts[idle], 0, accounts[idle].wish);
    return idle;
}

/* Some bugs show in more than one way; what is named is what the explorer comes upon first. */
const struct credit_mutant credit_mutants[] = {
    {{.name = "grant counted twice", .see = see_grants_twice}, CREDIT_UNSOUND},
    {{.name = "pool keeps what it grants", .see = see_keeps_the_pool}, CREDIT_UNSOUND},
    {{.name = "voided not counted", .see = see_forgets_voided}, CREDIT_LEFTOVER},
    {{.name = "request not heard", .see = see_hears_no_request}, CREDIT_UNHEARD},
    {{.name = "credit returned twice", .release = release_returns_twice}, CREDIT_UNSOUND},
    {{.name = "credit not returned", .release = release_returns_nothing}, CREDIT_DEADLOCK},
    {{.name = "taken back and told", .release = release_takes_and_returns}, CREDIT_UNSOUND},
    {{.name = "initial credits taken", .release = release_takes_all}, CREDIT_UNSOUND},
    {{.name = "request flag lost", .spend = spend_asks_for_nothing}, CREDIT_UNHEARD},
    {{.name = "packets cost nothing", .spend = spend_is_free}, CREDIT_OVERFLOW},
    {{.name = "given and kept", .give = give_gives_and_keeps}, CREDIT_LEFTOVER},
    {{.name = "one too many given", .give = give_gives_initial}, CREDIT_UNSOUND},
    {{.name = "an old limit believed", .hear = hear_believes_the_last}, CREDIT_OVERDRAWN},
    {{.name = "limits added up", .hear = hear_adds}, CREDIT_OVERDRAWN},
    {{.name = "limits cannot wrap", .hear = hear_cannot_wrap}, CREDIT_DEADLOCK},
    {{.name = "kept packets told of", .tell = tell_counts_seen}, CREDIT_UNSOUND},
    {{.name = "told and not noted", .tell = tell_forgets}, CREDIT_OVERDRAWN},
    {{.name = "no active return", .due = due_never}, CREDIT_DEADLOCK},
    {{.name = "no return to an empty hand", .due = due_while_the_hand_is_full}, CREDIT_DEADLOCK},
    {{.name = "told credits taken back", .seek = seek_takes_all}, CREDIT_UNSOUND},
    {{.name = "slot numbers relaxed", .numbers_relaxed = 1}, CREDIT_UNKNOWN},
    {{.name = "told before the slot is free", .tells_early = 1}, CREDIT_CROWDED},
    {{.name = "sends before it reads", .sends_first = 1}, CREDIT_DEADLOCK},
    {{.name = "the word is not looked at", .word_unread = 1}, CREDIT_DEADLOCK},
};
const unsigned credit_mutants_count = sizeof credit_mutants / sizeof *credit_mutants;

struct credit_rules credit_mutant_rules(const struct credit_mutant *mutant)
{
    struct credit_rules rules = mutant->rules;
    const struct credit_rules *right = &credit_rules_right;
    rules.spend = rules.spend ? rules.spend : right->spend;
    rules.give = rules.give ? rules.give : right->give;
    rules.hear = rules.hear ? rules.hear : right->hear;
    rules.see = rules.see ? rules.see : right->see;
    rules.release = rules.release ? rules.release : right->release;
    rules.tell = rules.tell ? rules.tell : right->tell;
    rules.due = rules.due ? rules.due : right->due;
    rules.seek = rules.seek ? rules.seek : right->seek;
    return rules;
}
