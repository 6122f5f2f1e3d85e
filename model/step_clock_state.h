/* What the files behind step_clock.h share: the state of one call. */
#ifndef SHMCOLL_MODEL_STEP_CLOCK_STATE_H
#define SHMCOLL_MODEL_STEP_CLOCK_STATE_H

#include "model/bcast_model.h"
#include "model/step_costs.h"

enum { STEP_NOBODY = UINT32_MAX };

/* What a rank does when its time comes. */
enum clock_phase { CLOCK_NEXT, CLOCK_PARKED, CLOCK_STORE, CLOCK_ADD, CLOCK_COPY, CLOCK_COPYING, CLOCK_OVER };

/* Which way a copy goes: into a slot, out of one, from user memory to user memory. */
enum flow_kind { FLOW_IN, FLOW_OUT, FLOW_PLAIN };

/* A copy being prepared or under way. left_s: what is left of it if nothing were shared. */
struct clock_flow {
    enum flow_kind kind;
    uint32_t slot; /* brought to this rank's cache right now, or STEP_NOBODY */
    uint32_t from_domain, to_domain; /* of what lies in memory, else STEP_NOBODY */
    uint32_t from_socket, to_socket;
    double start_s, left_s, tail_s, ahead_s;
    double bytes_per_s;  /* at full speed */
    double beside_speed; /* while its counterpart copies */
    double speed, since_s;
};

/* What of a rank's buffer has come to a cache: bytes from its begin, and who brings the last of them. */
struct clock_peer {
    uint64_t end_bytes;
    uint32_t leader;
};

/* Who copies on a domain's cores, and who uses its memory how much, just now. */
struct clock_domain {
    double demand_bytes_per_s;
    uint32_t users, plain, kind[3]; /* kind: enum flow_kind, of the ranks there */
};

struct clock_word {
    double busy_s; /* the line is on its way until then */
    double detour_s; /* the last store's line comes so much later to those who spun beside its writer */
    double stored_s; /* the last store; -INFINITY after an addition, which has its line first */
    uint32_t value;
    uint32_t writer; /* had the line last to itself */
    uint32_t waiters;
};

struct clock_rank {
    struct bcast_call call;
    struct cursor cursor;
    struct step step;
    uint32_t phase, seen, word;
    double at_s;           /* it goes on then; INFINITY: when something lets it */
    double ready_s;        /* queued for its core since then, or INFINITY */
    double start_s;        /* of the current step */
    double drain_s, lag_s; /* no further store leaves before, but to drain_word; what the last ones have waited for that */
    uint32_t drain_word;
    double stored_s; /* its last store leaves the store buffer then: what a copy writes after it waits there meanwhile */
    struct clock_flow flow;
    double copy_s; /* sum */
};

struct step_clock {
    struct step_costs *costs;
    const struct protocol *protocol;
    const struct tree *tree; /* NULL in an allgather */
    uint32_t *others;        /* allgather: [rank*procs + i] the others as a rank reads them; else NULL */
    uint32_t procs, running, slots, copying;
    double now_s, end_s, ends_s; /* the present, the end of the last rank so far, the sum of all */
    struct clock_rank *rank; /* [procs] */
    uint32_t word_base[WORD_KIND_COUNT], word_stride[WORD_KIND_COUNT], words;
    struct clock_word *word;
    uint8_t *held;       /* [word*procs + rank] has a copy of the line */
    size_t slot_items;   /* slots of all ranks */
    uint32_t *leader;    /* [(owner*slots + slot)*procs + cache's first rank] first reader there of the slot's content, or
                            STEP_NOBODY */
    uint32_t *cache_id;  /* [rank] lowest rank at the same last-level cache */
    struct clock_domain *domain; /* [domains of the node] */
    struct clock_peer *peer; /* [cache_id*procs + owner] */
    uint32_t *core_rank; /* [rank's lowest fellow on its core] who runs there, or STEP_NOBODY */
    uint32_t *core_id;   /* [rank] lowest rank on the same core */
    int shared_cores;
};

/* A queue of so many slots a set, for a message of `fragments`, all whole but the last. */
struct clock_shape {
    uint32_t set_slots;
    uint64_t fragments;
};

/* One call from a common start; the rest as step_clock_time. */
int step_clock_run(struct step_costs *costs, const struct tree *tree, struct clock_shape shape, struct bcast_prediction *out);

/* 0 or -ENOMEM; to be destroyed either way. */
int step_clock_create(struct step_clock *clock, struct clock_shape shape);
void step_clock_destroy(struct step_clock *clock);
/* All words as the protocol wants them before its first call, all ranks before its start. */
void step_clock_reset(struct step_clock *clock, struct clock_shape shape, uint64_t last_bytes);

/* All words and their lines. 0 or -ENOMEM. */
int step_clock_words_create(struct step_clock *clock);
/* Seconds for a line to get to r from who has it nearest; 0 if r has it. */
double step_clock_fetch_s(const struct step_clock *clock, uint32_t word, uint32_t r);
/* Seconds for it to come to r for itself alone. */
double step_clock_claim_s(const struct step_clock *clock, uint32_t word, uint32_t r);
/* The hand-over from the farthest rank but r that has a copy of the line; 0 if none has. */
double step_clock_shared_s(const struct step_clock *clock, uint32_t word, uint32_t r);
/* When a line that r reads is there; it spun for it or comes later. */
double step_clock_line_comes_s(struct step_clock *clock, uint32_t word, uint32_t r, int spun);
/* r has the line for itself. */
void step_clock_own(struct step_clock *clock, uint32_t word, uint32_t r);

/* Prepares the copy of rank r's step. */
void step_clock_copy_prepare(struct step_clock *clock, uint32_t r);
/* What it reads of r's own memory is in r's cache from then on. */
void step_clock_copy_read(struct step_clock *clock, uint32_t r);
/* Its first byte moves now; it has ended now. Both set the times of all who copy. */
void step_clock_copy_begin(struct step_clock *clock, uint32_t r);
void step_clock_copy_end(struct step_clock *clock, uint32_t r);
/* Seconds of a copy between user memory and a line. */
double step_clock_line_s(struct step_clock *clock, const struct step *step);

static inline uint32_t step_clock_word(const struct step_clock *c, const struct step *s)
{
    return c->word_base[s->word] + s->owner * c->word_stride[s->word] + s->index;
}

#endif
