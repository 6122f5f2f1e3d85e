/* One clock for every measurement: agreed deadlines, start and end of a call.
 *
 * On x86 with a time-stamp counter that the kernel itself trusts, a tick is a TSC
 * tick, read in a few ns and common to all cores; elsewhere a tick is a nanosecond of
 * CLOCK_MONOTONIC. The MPI benchmark includes this very file, so that both are timed alike. */
#ifndef SHMCOLL_KERNELS_CLOCK_H
#define SHMCOLL_KERNELS_CLOCK_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

struct clock {
    double ns_per_tick;
    int use_tsc;
};

static inline uint64_t clock_monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double clock_monotonic_s(void)
{
    return 1e-9 * (double)clock_monotonic_ns();
}

/* Read after all earlier loads are done (rdtscp), so that an end never precedes the data. */
static inline uint64_t clock_ticks(const struct clock *clock)
{
#if defined(__x86_64__)
    if (clock->use_tsc) {
        unsigned aux;
        return __rdtscp(&aux);
    }
#endif
    (void)clock;
    return clock_monotonic_ns();
}

/* May be read before earlier loads are done; half the cost. For waiting until an instant. */
static inline uint64_t clock_ticks_early(const struct clock *clock)
{
#if defined(__x86_64__)
    if (clock->use_tsc)
        return __rdtsc();
#endif
    (void)clock;
    return clock_monotonic_ns();
}

static inline double clock_ns(const struct clock *clock, uint64_t ticks)
{
    return (double)ticks * clock->ns_per_tick;
}

static inline uint64_t clock_ticks_of_ns(const struct clock *clock, double ns)
{
    return (uint64_t)(ns / clock->ns_per_tick);
}

/* Whether the kernel keeps time by the TSC: then it is invariant and the same on all cores. */
static inline int clock_tsc_trusted(void)
{
#if defined(__x86_64__)
    char name[32] = "";
    FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (!f)
        return 0;
    if (!fgets(name, sizeof name, f))
        name[0] = 0;
    fclose(f);
    return strncmp(name, "tsc", 3) == 0;
#else
    return 0;
#endif
}

/* Compares the two clocks for 20 ms. Call once, before any fork, and share the result. */
static inline struct clock clock_create(void)
{
    struct clock clock = {.ns_per_tick = 1, .use_tsc = clock_tsc_trusted()};
    if (!clock.use_tsc)
        return clock;
    uint64_t ns0 = clock_monotonic_ns(), t0 = clock_ticks(&clock), ns1;
    do
        ns1 = clock_monotonic_ns();
    while (ns1 - ns0 < 20000000);
    clock.ns_per_tick = (double)(ns1 - ns0) / (double)(clock_ticks(&clock) - t0);
    return clock;
}

#endif
