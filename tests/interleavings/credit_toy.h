/* A toy node on which ranks send each other short packets under model/channel/credit.h.
 *
 * Each rank owns one queue, into which all others put packets: they take a number, then fill that slot. A rank's move is one
 * access to what is shared, with the arithmetic that belongs to it. What a rank does next is not decided where a kernel might do
 * either: post, send, read, keep a payload or take it at once, take a kept one, look at its word, ask, give back.
 *
 * Memory is sequentially consistent, but who knows what is followed: a limit brings along how far its receiver had read, and
 * the counter of slot numbers brings what those knew who took a number before. A slot filled by a rank that only happens to
 * be right is a violation. States are plain data without pointers or padding. */
#ifndef SHMCOLL_TESTS_CREDIT_TOY_H
#define SHMCOLL_TESTS_CREDIT_TOY_H

#include "model/channel/credit.h"

enum { CREDIT_RANKS_MAX = 3, CREDIT_SLOTS_MAX = 8 };

/* The arithmetic under test, and the ways in which an executor could use it wrongly. */
struct credit_rules {
    const char *name;
    void (*spend)(struct credit_sender *, uint32_t waiting, struct credit_note *);
    void (*give)(struct credit_sender *, struct credit_note *);
    void (*hear)(struct credit_sender *, uint32_t limit, uint32_t flags);
    void (*see)(struct credit_pool *, struct credit_account *, const struct credit_note *);
    void (*release)(struct credit_pool *, struct credit_account *, uint32_t flags);
    uint32_t (*tell)(const struct credit_pool *, struct credit_account *);
    int (*due)(const struct credit_pool *, const struct credit_account *);
    int64_t (*seek)(struct credit_pool *, struct credit_account *);
    int numbers_relaxed; /* the counter of slot numbers orders nothing */
    int tells_early;     /* the word is stored before the slot is free */
    int sends_first;     /* no reading while something waits to be sent */
    int word_unread;     /* a sender without credit waits for a packet only */
};

extern const struct credit_rules credit_rules_right;

struct credit_case {
    const char *name;
    uint32_t ranks, initial, slots;
    uint32_t keeps; /* payloads of one sender that a receiver keeps at most */
    uint32_t total; /* where the running totals begin */
    /* [from][to] messages, posted in bursts: the next when the former has been sent. */
    uint8_t messages[CREDIT_RANKS_MAX][CREDIT_RANKS_MAX], burst[CREDIT_RANKS_MAX][CREDIT_RANKS_MAX];
};

enum credit_phase { CREDIT_AT_EASE, CREDIT_FILLING, CREDIT_TELLING, CREDIT_FREEING };
enum credit_packet_kind { CREDIT_NO_PACKET, CREDIT_DATA, CREDIT_BARE };

struct credit_packet {
    struct credit_note note;
    uint32_t read;  /* how far its writer had read its own queue */
    uint8_t kind, from;
    uint8_t number; /* of the pair's messages */
    uint8_t wants;  /* more waited than the sender could send: whatever the flags say */
};

struct credit_own {
    struct credit_pool pool;
    struct credit_account account[CREDIT_RANKS_MAX - 1];
    struct credit_sender sender[CREDIT_RANKS_MAX];
    struct credit_packet packet; /* FILLING */
    uint32_t slot_number;
    uint32_t known[CREDIT_RANKS_MAX]; /* how far others have read, as far as this rank can know */
    uint8_t left[CREDIT_RANKS_MAX], waiting[CREDIT_RANKS_MAX], kept[CREDIT_RANKS_MAX];
    uint8_t sent[CREDIT_RANKS_MAX], taken[CREDIT_RANKS_MAX];
    uint8_t phase, peer; /* whom it fills a slot of, or tells */
    uint8_t idle;        /* whom to ask, from 1 */
    uint8_t zero[2];
};

/* A rank's queue and words: others write there. */
struct credit_shared {
    uint32_t head, tail, tail_known;
    uint32_t word[CREDIT_RANKS_MAX], word_read[CREDIT_RANKS_MAX];
    struct credit_packet queue[CREDIT_SLOTS_MAX];
};

struct credit_state {
    struct credit_own own[CREDIT_RANKS_MAX];
    struct credit_shared shared[CREDIT_RANKS_MAX];
};

_Static_assert(sizeof(struct credit_packet) == 16 && sizeof(struct credit_shared) == 36 + 16 * CREDIT_SLOTS_MAX,
               "padding would make equal states differ");
_Static_assert(sizeof(struct credit_own) == 28 + 24 * (CREDIT_RANKS_MAX - 1) + (16 + 4 + 5) * CREDIT_RANKS_MAX + 16 + 4 + 5,
               "padding would make equal states differ");

enum credit_violation {
    CREDIT_OK,
    CREDIT_OVERFLOW,  /* filled a slot that has not been read */
    CREDIT_UNKNOWN,   /* filled a slot without knowing that it has been read */
    CREDIT_CROWDED,   /* more packets in a queue and in the room for kept ones than slots */
    CREDIT_UNSOUND,   /* I1 or I2 does not hold */
    CREDIT_OVERDRAWN, /* a sender spent, or believes in, more than it was told */
    CREDIT_DISORDER,  /* a message lost, twice or out of order */
    CREDIT_UNHEARD,   /* a sender short of credits got none, though nobody else needs what is in the pool */
    CREDIT_LEFTOVER,  /* at the end a credit is missing */
    CREDIT_DEADLOCK,  /* nobody can move, and something is left to do */
};

enum credit_move {
    CREDIT_MOVE_FINISH, /* of what was begun: fill the slot, store the word, free the slot */
    CREDIT_MOVE_READ,
    CREDIT_MOVE_KEEP,   /* read, and keep the payload */
    CREDIT_MOVE_ASK,    /* send a packet with RECALL */
    CREDIT_MOVE_PEER,   /* from here on: one for each peer */
    CREDIT_MOVE_POST = CREDIT_MOVE_PEER,
    CREDIT_MOVE_SEND = CREDIT_MOVE_POST + CREDIT_RANKS_MAX,
    CREDIT_MOVE_HEAR = CREDIT_MOVE_SEND + CREDIT_RANKS_MAX, /* looks at the word */
    CREDIT_MOVE_GIVE = CREDIT_MOVE_HEAR + CREDIT_RANKS_MAX,
    CREDIT_MOVE_TAKE = CREDIT_MOVE_GIVE + CREDIT_RANKS_MAX, /* a kept payload */
    CREDIT_MOVES = CREDIT_MOVE_TAKE + CREDIT_RANKS_MAX
};

const char *credit_violation_string(enum credit_violation violation);
/* Writes the move's name. */
void credit_move_format(const void *context, const void *state, uint32_t rank, uint32_t move, char *text, uint32_t text_bytes);
/* 0, or -EINVAL if the case is too large for the toy. */
int credit_toy_start(const struct credit_case *c, struct credit_state *out);
/* 1 if the rank could make this move; then *violation says how it went. */
int credit_toy_move(const struct credit_case *c, const struct credit_rules *rules, struct credit_state *state, uint32_t rank,
                    uint32_t move, enum credit_violation *violation);
/* For a state in which nobody can move. */
enum credit_violation credit_toy_final(const struct credit_case *c, const struct credit_state *state);

#endif
