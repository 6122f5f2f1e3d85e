/* What this host can do at best: three figures that bound every broadcast kernel.
 *
 * Two processes on two cores, one anonymous shared mapping, nothing of the library:
 *   hand-over  half a store/poll ping-pong of one cache line;
 *   cold copy  one core copies a message it has not touched lately (256 MiB pool);
 *   pipeline   the writer copies fragments into a small ring, the reader copies them out.
 * Prints the median over repetitions, and the pipeline as a ratio to the cold copy. */
#include <immintrin.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POOL_BYTES = 256 << 20, RING_BYTES = 512 << 10, REPS = 31 };

struct shared {
    _Alignas(128) _Atomic uint64_t ping;
    _Alignas(128) _Atomic uint64_t pong;
    _Alignas(128) _Atomic uint64_t filled;
    _Alignas(128) _Atomic uint64_t drained;
    _Alignas(4096) unsigned char ring[RING_BYTES];
};

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void pin(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void await(_Atomic uint64_t *word, uint64_t at_least)
{
    while (atomic_load_explicit(word, memory_order_acquire) < at_least)
        _mm_pause();
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[n / 2];
}

/* Non-temporal copy of a multiple of 64 bytes to a 64-byte aligned target. */
__attribute__((target("avx2"))) static void copy_nt(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i += 64) {
        __m256i a = _mm256_loadu_si256((const __m256i *)((const char *)from + i));
        __m256i b = _mm256_loadu_si256((const __m256i *)((const char *)from + i + 32));
        _mm256_stream_si256((__m256i *)((char *)to + i), a);
        _mm256_stream_si256((__m256i *)((char *)to + i + 32), b);
    }
}

static uint64_t round_base;

/* One message through the ring; the reader ends last, so its clock is the time. */
static void pipe_message(struct shared *s, int rank, unsigned char *user, size_t size, size_t fragment, int nt)
{
    uint64_t slots = RING_BYTES / fragment, count = size / fragment;
    for (uint64_t k = 0; k < count; k++) {
        uint64_t seq = round_base + k;
        unsigned char *slot = s->ring + seq % slots * fragment;
        if (rank == 0) {
            if (seq >= slots)
                await(&s->drained, seq - slots + 1);
            memcpy(slot, user + k * fragment, fragment);
            atomic_store_explicit(&s->filled, seq + 1, memory_order_release);
        } else {
            await(&s->filled, seq + 1);
            (nt ? copy_nt : (void (*)(void *, const void *, size_t))(void *)memcpy)(user + k * fragment, slot, fragment);
            atomic_store_explicit(&s->drained, seq + 1, memory_order_release);
        }
    }
    _mm_sfence();
    round_base += count;
}

static uint64_t turn;
static void meet(struct shared *s, int rank)
{
    turn++;
    atomic_store(rank ? &s->pong : &s->ping, turn);
    await(rank ? &s->ping : &s->pong, turn);
}

int main(void)
{
    struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned char *pool = aligned_alloc(4096, POOL_BYTES);
    if (s == MAP_FAILED || !pool)
        return 1;
    fflush(stdout);
    pid_t child = fork();
    int rank = child == 0;
    pin(rank);
    memset(pool, rank, POOL_BYTES);
    double v[REPS];

    for (int r = 0; r < REPS; r++) {
        double t0 = now_us();
        for (int i = 0; i < 20000; i++) {
            turn++;
            if (rank == 0) {
                atomic_store_explicit(&s->ping, turn, memory_order_release);
                await(&s->pong, turn);
            } else {
                await(&s->ping, turn);
                atomic_store_explicit(&s->pong, turn, memory_order_release);
            }
        }
        v[r] = (now_us() - t0) / 40000 * 1e3;
    }
    if (rank)
        printf("hand-over %.1f ns\n", median(v, REPS));

    for (size_t size = 1 << 16; size <= 16 << 20; size <<= 4) {
        size_t places = POOL_BYTES / 2 / size;
        double cold[2] = {0, 0};
        for (int nt = 0; nt < 2; nt++) {
            meet(s, rank);
            for (int r = 0; r < REPS && rank; r++) {
                unsigned char *from = pool + (size_t)r * 5 % places * size, *to = from + POOL_BYTES / 2;
                double t0 = now_us();
                nt ? copy_nt(to, from, size) : (void)memcpy(to, from, size);
                _mm_sfence();
                v[r] = now_us() - t0;
            }
            cold[nt] = rank ? median(v, REPS) : 0;
            meet(s, rank);
        }
        double best_cold = cold[0] < cold[1] ? cold[0] : cold[1];
        if (rank)
            printf("%8zu B  cold memcpy %8.1f us  non-temporal %8.1f us\n", size, cold[0], cold[1]);
        for (size_t fragment = 1 << 12; fragment <= 1 << 17 && fragment <= size; fragment <<= 1)
            for (int nt = 0; nt < 2; nt++) {
                for (int r = 0; r < REPS; r++) {
                    unsigned char *user = pool + (size_t)r * 5 % (2 * places) * size;
                    meet(s, rank);
                    double t0 = now_us();
                    pipe_message(s, rank, user, size, fragment, nt);
                    v[r] = now_us() - t0;
                }
                if (rank) {
                    double m = median(v, REPS);
                    printf("%8zu B  fragment %6zu  %s  %8.1f us  %.2f of a cold copy\n", size, fragment,
                           nt ? "nt    " : "memcpy", m, m / best_cold);
                }
            }
    }
    fflush(stdout);
    if (rank)
        _exit(0);
    waitpid(child, NULL, 0);
    return 0;
}
