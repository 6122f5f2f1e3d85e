#include "experiments/traffic_samples.h"
#include "sim/sim_random.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct traffic_draft {
    struct traffic_entry *entry;
    size_t count, room;
};

/* Both ways. */
static int pair(struct traffic_draft *d, uint32_t a, uint32_t b, double bytes)
{
    if (d->room - d->count < 2) {
        size_t room = d->room ? 2 * d->room : 1024;
        struct traffic_entry *larger = reallocarray(d->entry, room, sizeof *larger);
        if (!larger)
            return -ENOMEM;
        d->entry = larger;
        d->room = room;
    }
    d->entry[d->count++] = (struct traffic_entry){.from = a, .to = b, .bytes = (uint64_t)bytes};
    d->entry[d->count++] = (struct traffic_entry){.from = b, .to = a, .bytes = (uint64_t)bytes};
    return 0;
}

/* Cells of a box x by y by z, as near to a cube as a whole number of ranks allows; those beyond are not there. */
struct box {
    uint32_t x, y, z;
};

static struct box box_flat(uint32_t ranks)
{
    uint32_t x = (uint32_t)ceil(sqrt(ranks));
    return (struct box){x, (ranks + x - 1) / x, 1};
}

static struct box box_deep(uint32_t ranks)
{
    uint32_t x = (uint32_t)ceil(cbrt(ranks) - 1e-9);
    struct box flat = box_flat((ranks + x - 1) / x);
    return (struct box){x, flat.x, flat.y};
}

/* A face to each neighbour; rank_of_cell NULL: cells below `ranks` are ranks, else UINT32_MAX is none. `bytes` by axis. */
static int faces(struct traffic_draft *d, struct box box, uint32_t ranks, const uint32_t *rank_of_cell, const double bytes[3])
{
    const uint32_t step[3] = {1, box.x, box.x * box.y}, extent[3] = {box.x, box.y, box.z};
    uint32_t cells = box.x * box.y * box.z;
    int error = 0;
    for (uint32_t cell = 0; cell < cells && !error; cell++)
        for (int axis = 0; axis < 3 && !error; axis++) {
            if (cell / step[axis] % extent[axis] + 1 == extent[axis])
                continue;
            uint32_t a = cell, b = cell + step[axis];
            if (rank_of_cell) {
                a = rank_of_cell[a];
                b = rank_of_cell[b];
            }
            if (a < ranks && b < ranks)
                error = pair(d, a, b, bytes[axis]);
        }
    return error;
}

static int stencil2d(struct traffic_draft *d, uint32_t ranks, uint64_t *random)
{
    const double bytes[3] = {4096 + 65536 * sim_random_uniform(random), 4096 + 65536 * sim_random_uniform(random), 0};
    return faces(d, box_flat(ranks), ranks, NULL, bytes);
}

static int stencil3d(struct traffic_draft *d, uint32_t ranks, uint64_t *random)
{
    double bytes[3];
    for (int axis = 0; axis < 3; axis++)
        bytes[axis] = 4096 + 65536 * sim_random_uniform(random);
    return faces(d, box_deep(ranks), ranks, NULL, bytes);
}

struct cell {
    double distance;
    uint32_t index;
};

static int by_distance(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Those cells of a grid a third larger that are farthest from a few points, islands, in their order. */
static int holes(struct traffic_draft *d, uint32_t ranks, uint64_t *random)
{
    enum { ISLANDS = 4 };
    const double bytes[3] = {32768, 32768, 0};
    struct box box = box_flat(ranks + ranks / 3 + 1);
    uint32_t cells = box.x * box.y, *rank_of_cell = malloc(cells * sizeof *rank_of_cell), rank = 0;
    struct cell *cell = malloc(cells * sizeof *cell);
    double x[ISLANDS], y[ISLANDS];
    for (int i = 0; i < ISLANDS; i++) {
        x[i] = box.x * sim_random_uniform(random);
        y[i] = box.y * sim_random_uniform(random);
    }
    for (uint32_t c = 0; cell && c < cells; c++) {
        cell[c] = (struct cell){INFINITY, c};
        for (int i = 0; i < ISLANDS; i++)
            cell[c].distance = fmin(cell[c].distance, hypot(c % box.x - x[i], c / box.x - y[i]));
    }
    int error = cell && rank_of_cell ? 0 : -ENOMEM;
    if (!error) {
        qsort(cell, cells, sizeof *cell, by_distance);
        for (uint32_t i = 0; i < cells; i++)
            rank_of_cell[cell[i].index] = i < cells - ranks ? UINT32_MAX : 0;
        for (uint32_t c = 0; c < cells; c++)
            rank_of_cell[c] = rank_of_cell[c] ? UINT32_MAX : rank++;
        error = faces(d, box, ranks, rank_of_cell, bytes);
    }
    free(cell);
    free(rank_of_cell);
    return error;
}

/* Groups of 2 to 16 ranks that all talk to each other, and a ring of groups. */
static int groups(struct traffic_draft *d, uint32_t ranks, uint64_t *random)
{
    int error = 0;
    for (uint32_t first = 0, before = 0; first < ranks && !error;) {
        uint32_t size = 2 + (uint32_t)(sim_random_next(random) % 15), end = first + size < ranks ? first + size : ranks;
        for (uint32_t a = first; a < end; a++)
            for (uint32_t b = a + 1; b < end && !error; b++)
                error = pair(d, a, b, 16384);
        if (first && !error)
            error = pair(d, before, first, 65536);
        before = first;
        first = end;
    }
    return error;
}

/* Few ranks with many partners, many with few: partners are drawn by the ranks' weights, falling as a power of their number. */
static int power_law(struct traffic_draft *d, uint32_t ranks, uint64_t *random)
{
    double sum = 0;
    int error = 0;
    for (uint32_t r = 0; r < ranks; r++)
        sum += pow(r + 1, -0.6);
    for (uint32_t a = 0; a < ranks; a++)
        for (uint32_t b = a + 1; b < ranks && !error; b++)
            if (sim_random_uniform(random) < 6 * ranks * pow(a + 1, -0.6) * pow(b + 1, -0.6) / (sum * sum))
                error = pair(d, a, b, 1024 / (sim_random_uniform(random) + 0.001));
    return error;
}

const struct traffic_sample traffic_sample_table[] = {
    {"stencil2d", "faces of a grid", stencil2d},
    {"stencil3d", "faces of a box", stencil3d},
    {"holes", "faces of a grid with islands in it", holes},
    {"groups", "groups in which all talk to all, in a ring", groups},
    {"power_law", "few ranks with many partners", power_law},
    {NULL, NULL, NULL},
};

/* Every rank another number. 0 or -ENOMEM. */
static int shuffle(struct traffic_draft *d, uint32_t ranks, uint64_t *random)
{
    uint32_t *number = malloc(ranks * sizeof *number);
    if (!number)
        return -ENOMEM;
    for (uint32_t r = 0; r < ranks; r++) {
        uint32_t other = (uint32_t)(sim_random_next(random) % (r + 1));
        number[r] = r;
        number[r] = number[other];
        number[other] = r;
    }
    for (size_t i = 0; i < d->count; i++) {
        d->entry[i].from = number[d->entry[i].from];
        d->entry[i].to = number[d->entry[i].to];
    }
    free(number);
    return 0;
}

int traffic_sample_create(struct traffic *out, const struct traffic_sample *sample, uint32_t ranks, int shuffled, uint64_t seed)
{
    struct traffic_draft draft = {NULL, 0, 0};
    struct traffic_complaint complaint;
    uint64_t random = seed;
    int error = ranks < 2 ? -EINVAL : sample->draw(&draft, ranks, &random);
    if (!error && shuffled)
        error = shuffle(&draft, ranks, &random);
    if (!error)
        error = traffic_create(out, ranks, draft.entry, draft.count, TRAFFIC_BOTH_WAYS | TRAFFIC_ONCE, &complaint);
    free(draft.entry);
    return error;
}
