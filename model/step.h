/* Steps: the alphabet in which a protocol says how bytes move.
 *
 * A protocol is one small program per rank. Asked for its next step it returns a
 * wait on a word, a store, an atomic addition, a copy, or the end; whoever executes it
 * (kernels/ on memory, sim/ in simulated time, the interleaving explorer on a
 * toy memory) reports back only the value with which the last wait was satisfied.
 * Everything here is plain data: cursors may be copied, compared and hashed. */
#ifndef SHMCOLL_MODEL_STEP_H
#define SHMCOLL_MODEL_STEP_H

#include <stdint.h>

enum step_op {
    STEP_WAIT_EQ, /* until word == value */
    STEP_WAIT_NE, /* until word != value */
    STEP_WAIT_GE, /* until (int32_t)(word - value) >= 0: free-running counters may wrap */
    STEP_STORE,   /* word = value, ordered after all earlier steps (release) */
    STEP_ADD,     /* word += value, atomic, ordered after all earlier steps (release) */
    STEP_TAKE,    /* the same, and `seen` is the value before */
    STEP_OFFER,   /* the same as STORE, and with it goes where the rank's own user buffer is */
    STEP_COPY,    /* bytes from one place to another */
    STEP_DONE,    /* the rank's part is complete */
    STEP_FAULT,   /* the value seen cannot be: the segment is corrupted */
};

/* The paper's names (S1 Fig. 3) and those of the short path. Several steps may share one: */
enum step_name {
    STEP_NAME_WS,   /* root waits for the set to be free, then claims it */
    STEP_NAME_SO,   /* root opens the set */
    STEP_NAME_C,    /* copy */
    STEP_NAME_N,    /* notify a child */
    STEP_NAME_WO,   /* reader waits for the set to open */
    STEP_NAME_W,    /* reader waits for a fragment, then resets the control block */
    STEP_NAME_A,    /* reader leaves the set */
    STEP_NAME_WK,   /* writer waits until a child has acknowledged old lines */
    STEP_NAME_K,    /* reader acknowledges what it has consumed */
    STEP_NAME_O,    /* a rank offers its user buffer to the others */
    STEP_NAME_WP,   /* a rank waits for another's offer, or for the turn to use it */
    STEP_NAME_T,    /* a rank takes the next part of the work */
    STEP_NAME_E,    /* a rank says that its part has ended */
    STEP_NAME_WE,   /* a rank waits until others have ended theirs */
    STEP_NAME_B,    /* a barrier of all ranks */
    STEP_NAME_COUNT
};

/* Words are 32-bit, free-running, each on a cache line of its own. */
enum word_kind {
    WORD_SET_OP,       /* index = set */
    WORD_SET_NREADERS, /* index = set */
    WORD_CONTROL,      /* owner = reader, index = slot */
    WORD_LINE,         /* owner = reader (allgather: writer), index = line; PLACE_LINE is the rest of that line */
    WORD_ACK,          /* owner = reader */
    WORD_COUNTER,      /* owner = any rank, index < protocol->counters: what it means is the protocol's business */
    WORD_OFFER,        /* owner = any rank; STEP_OFFER stores to it, and PLACE_PEER is what it offered */
    WORD_KIND_COUNT
};

enum place_kind {
    PLACE_USER, /* the rank's own message buffer, at offset_bytes */
    PLACE_SLOT, /* fragment buffer `index` of rank `owner` */
    PLACE_LINE, /* payload behind WORD_LINE (owner, index) */
    PLACE_PEER, /* the user buffer that rank `owner` offered last, at offset_bytes */
    PLACE_SEND, /* allgather: what the rank contributes, where its own block has offset_bytes in the message */
};

struct step_place {
    uint32_t kind;  /* enum place_kind */
    uint32_t owner; /* rank */
    uint32_t index;
};

struct step {
    uint32_t op;   /* enum step_op */
    uint32_t name; /* enum step_name */
    /* WAIT, STORE, ADD */
    uint32_t word;  /* enum word_kind */
    uint32_t owner; /* rank that owns the word */
    uint32_t index;
    uint32_t value;
    /* COPY */
    uint32_t bytes;
    uint64_t offset_bytes; /* in the user's message */
    struct step_place from, to;
};

/* The paper's name of a step, "WS", "SO", ...; "?" if out of range. */
const char *step_name_string(uint32_t name);

#endif
