#include "covering.h"

#include <string.h>

enum { CANDIDATES = 20 };

/* covered[a][i][b][j]: the pair of level i of factor a and level j of factor b, a < b. */
struct coverage {
    const struct covering_space *space;
    uint8_t covered[COVERING_FACTORS_MAX][COVERING_LEVELS_MAX][COVERING_FACTORS_MAX][COVERING_LEVELS_MAX];
    uint64_t random;
};

static uint32_t draw(struct coverage *c, uint32_t below)
{
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((c->random >> 33) % below);
}

/* Every combination of the deciding factors not in `fixed`, from a drawn one on: the first that is possible, 0 if none is. */
static int search(struct coverage *c, struct covering_row *row, uint32_t fixed)
{
    uint32_t combinations = 1;
    for (uint32_t f = 0; f < c->space->deciding; f++)
        combinations *= fixed >> f & 1 ? 1 : c->space->levels[f];
    uint32_t first = draw(c, combinations);
    for (uint32_t i = 0; i < combinations; i++) {
        uint32_t index = (first + i) % combinations;
        for (uint32_t f = 0; f < c->space->deciding; f++)
            if (!(fixed >> f & 1)) {
                row->level[f] = (uint8_t)(index % c->space->levels[f]);
                index /= c->space->levels[f];
            }
        if (c->space->possible(c->space->context, row))
            return 1;
    }
    return 0;
}

/* Fills the factors not in `fixed`, at random if possible rows are not too rare; 0 if none is possible. */
static int complete(struct coverage *c, struct covering_row *row, uint32_t fixed)
{
    for (int attempt = 0; attempt < 400; attempt++) {
        for (uint32_t f = 0; f < c->space->factors; f++)
            if (!(fixed >> f & 1))
                row->level[f] = (uint8_t)draw(c, c->space->levels[f]);
        if (c->space->possible(c->space->context, row))
            return 1;
    }
    return search(c, row, fixed);
}

static uint32_t gain(const struct coverage *c, const struct covering_row *row)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < c->space->factors; a++)
        for (uint32_t b = a + 1; b < c->space->factors; b++)
            n += !c->covered[a][row->level[a]][b][row->level[b]];
    return n;
}

static void cover(struct coverage *c, const struct covering_row *row)
{
    for (uint32_t a = 0; a < c->space->factors; a++)
        for (uint32_t b = a + 1; b < c->space->factors; b++)
            c->covered[a][row->level[a]][b][row->level[b]] = 1;
}

/* The best of some rows that contain the pair. */
static int best_row(struct coverage *c, uint32_t a, uint32_t i, uint32_t b, uint32_t j, struct covering_row *best)
{
    uint32_t best_gain = 0;
    for (int k = 0; k < CANDIDATES; k++) {
        struct covering_row row = {{0}};
        row.level[a] = (uint8_t)i;
        row.level[b] = (uint8_t)j;
        if (!complete(c, &row, 1u << a | 1u << b))
            return 0;
        uint32_t g = gain(c, &row);
        if (g > best_gain) {
            best_gain = g;
            *best = row;
        }
    }
    return 1;
}

uint32_t covering_make(const struct covering_space *space, uint64_t seed, struct covering_row *rows, uint32_t rows_max,
                       uint32_t *pairs)
{
    struct coverage c;
    uint32_t n = 0;
    memset(&c, 0, sizeof c);
    c.space = space;
    c.random = seed;
    *pairs = 0;
    for (uint32_t a = 0; a < space->factors; a++)
        for (uint32_t b = a + 1; b < space->factors; b++)
            for (uint32_t i = 0; i < space->levels[a]; i++)
                for (uint32_t j = 0; j < space->levels[b]; j++) {
                    struct covering_row row;
                    int there = c.covered[a][i][b][j];
                    if (!there && best_row(&c, a, i, b, j, &row)) {
                        if (n == rows_max)
                            return 0;
                        there = 1;
                        rows[n++] = row;
                        cover(&c, &row);
                    }
                    *pairs += (uint32_t)there;
                }
    return n;
}
