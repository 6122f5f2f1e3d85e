/* Packet probe: how long a message of one line is on its way between two endpoints, with what both do for it. */
#ifndef SHMCOLL_KERNELS_CHANNELS_PACKET_PROBE_H
#define SHMCOLL_KERNELS_CHANNELS_PACKET_PROBE_H

#include "kernels/channels/endpoint.h"
#include "kernels/clock.h"

/* Called by ranks 0 and 1 of the endpoint at the same time. Nanoseconds one way of ping-pongs of 8 bytes, set on both.
 * 0 or an error of the endpoint. */
int packet_probe_run(struct endpoint *e, uint32_t rank, const struct clock *clock, double *samples_ns, uint32_t count);

#endif
