#include "model/channel.h"

#include <stddef.h>
#include <string.h>

const struct channel_kind channel_kind_mp = {"mp", "short packets into one queue a receiver: least memory"};
const struct channel_kind channel_kind_er = {"er", "exclusive ring for each pair: fastest, and memory for every pair"};
const struct channel_kind channel_kind_sr = {"sr", "a pool shared by all peers, got by the receiver: memory for each rank"};
const struct channel_kind channel_kind_zc = {"zc", "the receiver reads the sender's buffer: one copy, for long messages"};
const struct channel_kind channel_kind_combined = {
    "combined", "rings for the busiest neighbours, queue and pool for the rest, no copy for long messages"};

const struct channel_kind *const channel_kind_table[] = {&channel_kind_mp, &channel_kind_er,       &channel_kind_sr,
                                                         &channel_kind_zc, &channel_kind_combined, NULL};

const struct channel_kind *channel_kind_find(const char *name)
{
    for (const struct channel_kind *const *c = channel_kind_table; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}
