/* Messages between two nodes of S2's machine, simulated: what its figures are drawn from and its table is judged by. */
#ifndef SHMCOLL_EXPERIMENTS_FIGURE_TIANHE_H
#define SHMCOLL_EXPERIMENTS_FIGURE_TIANHE_H

#include "model/channel.h"
#include "model/nic.h"
#include "model/scenario.h"

struct tianhe_point {
    const char *layer;
    const struct channel_kind *channel; /* S2's ER is combined, with a ring for the pair, its SR is zc: both fetch what is long */
    enum p2p_pattern pattern;
    uint64_t size_bytes;
    uint32_t window;
    uint32_t fragment_bytes, slots; /* 0: the channels' usual */
    void (*change)(struct nic *nic); /* of the interface; NULL: nothing */
};

enum { TIANHE_WINDOW = 64 /* of bandwidth */, TIANHE_RATE_WINDOW = 1024 };

/* 0, or an exit code after telling why. */
int tianhe_time(const struct tianhe_point *point, double *time_s);
/* The smallest size at which a window's bandwidth is half of what the largest message has, between powers of two as if straight
 * in logarithms. 0, or an exit code after telling why. */
int tianhe_half_peak(const struct tianhe_point *point, double *size_bytes, double *peak_bytes_per_s);

#endif
