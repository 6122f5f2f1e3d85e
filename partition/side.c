#include "partition/side.h"

static int before(const struct side *s, uint32_t a, uint32_t b)
{
    return s->gain[a] != s->gain[b] ? s->gain[a] > s->gain[b] : a < b;
}

static void put(struct side *s, uint32_t place, uint32_t v)
{
    s->vertex[place] = v;
    s->place[v] = place;
}

static void rise(struct side *s, uint32_t place)
{
    uint32_t v = s->vertex[place];
    for (; place && before(s, v, s->vertex[(place - 1) / 2]); place = (place - 1) / 2)
        put(s, place, s->vertex[(place - 1) / 2]);
    put(s, place, v);
}

static void sink(struct side *s, uint32_t place)
{
    uint32_t v = s->vertex[place];
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= s->count)
            break;
        if (child + 1 < s->count && before(s, s->vertex[child + 1], s->vertex[child]))
            child++;
        if (!before(s, s->vertex[child], v))
            break;
        put(s, place, s->vertex[child]);
        place = child;
    }
    put(s, place, v);
}

void side_push(struct side *s, uint32_t v)
{
    s->vertex[s->count] = v;
    rise(s, s->count++);
}

void side_update(struct side *s, uint32_t v)
{
    rise(s, s->place[v]);
    sink(s, s->place[v]);
}

uint32_t side_pop(struct side *s)
{
    uint32_t v = s->vertex[0], last = s->vertex[--s->count];
    if (s->count) {
        put(s, 0, last);
        sink(s, 0);
    }
    return v;
}
