/* Where a rank is in a protocol, in words: for errors and for reports of stalls. */
#ifndef SHMCOLL_KERNELS_STEP_TEXT_H
#define SHMCOLL_KERNELS_STEP_TEXT_H

#include "model/protocol.h"

#include <stddef.h>

/* A step and the call it belongs to. */
struct step_at {
    const struct bcast_call *call; /* size and root are not read; NULL: nowhere */
    const char *protocol;
    struct step step;
    uint32_t root;
};

/* The rank whose doing the step needs: the writer of the awaited word, the owner of the bytes to be copied; -1 if
 * that is not one rank. What a protocol keeps in a word it alone knows, so this is right where a word of a rank's own range is
 * written by that rank or, for lines and control blocks, by its parent. */
int64_t step_text_awaited(const struct step_at *at);
/* "WK for rank 2", "WS for the others", "N". */
void step_text_brief(const struct step_at *at, char *text, size_t text_bytes);
/* The word of a WAIT, "ack[2]", "counter[2][0]". */
void step_text_word(const struct step *step, char *text, size_t text_bytes);

#endif
