/* Channels: the ways in which a message goes from one rank to another, by name.
 *
 * kernels/channels has the real ones; what they share with their model and their simulation is in model/channel. */
#ifndef SHMCOLL_MODEL_CHANNEL_H
#define SHMCOLL_MODEL_CHANNEL_H

struct channel_kind {
    const char *name, *summary;
};

extern const struct channel_kind channel_kind_mp, channel_kind_er, channel_kind_sr, channel_kind_zc, channel_kind_combined;

/* By rising bandwidth of what they are for; NULL ends it. */
extern const struct channel_kind *const channel_kind_table[];
/* NULL if there is no such name. */
const struct channel_kind *channel_kind_find(const char *name);

#endif
