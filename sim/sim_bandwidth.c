#include "sim/sim_bandwidth.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX, PROGRESS_BITS = 16, SPEED_BITS = 32 };

/* Picoseconds to progress: dt * speed has SPEED_BITS binary places. */
enum { SHIFT = SPEED_BITS - PROGRESS_BITS };

int sim_bandwidth_create(struct sim_bandwidth *b, uint32_t resources, uint32_t groups, uint32_t flows, uint32_t base_target)
{
    *b = (struct sim_bandwidth){.resources = resources, .groups = groups, .flows = flows, .base_target = base_target};
    b->resource = calloc(resources + 1, sizeof *b->resource);
    b->left = calloc(resources + 1, sizeof *b->left);
    b->demand = calloc(resources + 1, sizeof *b->demand);
    b->users = calloc(resources + 1, sizeof *b->users);
    b->group_count = calloc(groups + 1, sizeof *b->group_count);
    b->flow = calloc(flows + 1, sizeof *b->flow);
    b->active = calloc(flows + 1, sizeof *b->active);
    if (b->resource && b->left && b->demand && b->users && b->group_count && b->flow && b->active)
        return 0;
    sim_bandwidth_destroy(b);
    return -ENOMEM;
}

void sim_bandwidth_destroy(struct sim_bandwidth *b)
{
    for (uint32_t i = 0; b->resource && i < b->resources; i++)
        free(b->resource[i].bytes_per_s);
    free(b->resource);
    free(b->left);
    free(b->demand);
    free(b->users);
    free(b->group_count);
    free(b->flow);
    free(b->active);
    free(b->class);
    free(b->state);
    *b = (struct sim_bandwidth){0};
}

int sim_bandwidth_resource(struct sim_bandwidth *b, uint32_t resource, const double *bytes_per_s, uint32_t entries)
{
    struct sim_resource *r = &b->resource[resource];
    double *table = malloc(entries * sizeof *table);
    if (!table)
        return -ENOMEM;
    memcpy(table, bytes_per_s, entries * sizeof *table);
    free(r->bytes_per_s);
    *r = (struct sim_resource){table, entries};
    return 0;
}

static int same_class(const struct sim_class *a, const struct sim_class *b)
{
    if (a->bytes_per_s != b->bytes_per_s || a->beside != b->beside || a->group != b->group || a->rival != b->rival ||
        a->uses != b->uses)
        return 0;
    for (uint32_t i = 0; i < a->uses; i++)
        if (a->use[i].resource != b->use[i].resource || a->use[i].load != b->use[i].load)
            return 0;
    return 1;
}

static int make_room(struct sim_bandwidth *b)
{
    uint32_t room = b->classes_max ? 2 * b->classes_max : 16;
    struct sim_class *class = realloc(b->class, room * sizeof *class);
    if (!class)
        return -ENOMEM;
    b->class = class;
    struct sim_class_state *state = realloc(b->state, room * sizeof *state);
    if (!state)
        return -ENOMEM;
    b->state = state;
    b->classes_max = room;
    return 0;
}

int sim_bandwidth_class(struct sim_bandwidth *b, const struct sim_class *wanted, uint32_t *id)
{
    for (uint32_t i = 0; i < b->classes; i++)
        if (same_class(&b->class[i], wanted)) {
            *id = i;
            return 0;
        }
    if (b->classes == b->classes_max && make_room(b) != 0)
        return -ENOMEM;
    b->class[b->classes] = *wanted;
    b->state[b->classes] = (struct sim_class_state){.first = NONE, .last = NONE};
    *id = b->classes++;
    return 0;
}

static void catch_up(struct sim_class_state *s, uint64_t now_ps)
{
    s->progress += (uint64_t)((unsigned __int128)(now_ps - s->since_ps) * s->speed >> SHIFT);
    s->since_ps = now_ps;
}

/* Files a flow by its end; of equal ends the later begun is later. */
static void insert(struct sim_bandwidth *b, struct sim_class_state *s, uint32_t flow)
{
    uint64_t end = b->flow[flow].end;
    if (s->count == 0 || b->flow[s->last].end <= end) {
        b->flow[flow].next = NONE;
        if (s->count == 0)
            s->first = flow;
        else
            b->flow[s->last].next = flow;
        s->last = flow;
        return;
    }
    uint32_t *link = &s->first;
    while (b->flow[*link].end <= end)
        link = &b->flow[*link].next;
    b->flow[flow].next = *link;
    *link = flow;
}

void sim_bandwidth_begin(struct sim_bandwidth *b, uint32_t flow, uint32_t class_id, uint64_t alone_ps, uint64_t now_ps)
{
    struct sim_class_state *s = &b->state[class_id];
    if (s->count == 0) {
        s->progress = s->speed = 0;
        s->since_ps = now_ps;
        b->active[b->active_count++] = class_id;
    }
    catch_up(s, now_ps);
    b->flow[flow] = (struct sim_flow){.end = s->progress + (alone_ps << PROGRESS_BITS), .class_id = class_id};
    uint32_t first = s->first;
    insert(b, s, flow);
    s->moved |= s->count == 0 || first != s->first;
    s->count++;
    if (b->class[class_id].group != SIM_NO_GROUP)
        b->group_count[b->class[class_id].group]++;
    b->dirty = 1;
}

uint32_t sim_bandwidth_end(struct sim_bandwidth *b, uint32_t class_id, uint32_t generation, uint64_t now_ps)
{
    struct sim_class_state *s = &b->state[class_id];
    if (generation != s->generation || s->count == 0)
        return NONE;
    catch_up(s, now_ps);
    uint32_t flow = s->first;
    if (b->flow[flow].end > s->progress)
        return NONE;
    s->first = b->flow[flow].next;
    s->count--;
    s->moved = 1;
    b->dirty = 1;
    if (b->class[class_id].group != SIM_NO_GROUP)
        b->group_count[b->class[class_id].group]--;
    for (uint32_t i = 0; s->count == 0 && i < b->active_count; i++)
        if (b->active[i] == class_id) {
            memmove(b->active + i, b->active + i + 1, (b->active_count - i - 1) * sizeof *b->active);
            b->active_count--;
        }
    return flow;
}

/* Speed of a flow of the class if nothing were shared. */
static double own_speed(const struct sim_bandwidth *b, const struct sim_class *c)
{
    return c->rival != SIM_NO_GROUP && b->group_count[c->rival] ? c->beside : 1;
}

/* What the flows of a class take from a resource at full speed. */
static double demand_of(const struct sim_class *c, uint32_t count, const struct sim_use *use)
{
    return (double)count * use->load / SIM_LOAD_UNIT * c->bytes_per_s;
}

/* Resources full, classes open. */
static void open_all(struct sim_bandwidth *b)
{
    memset(b->users, 0, b->resources * sizeof *b->users);
    memset(b->demand, 0, b->resources * sizeof *b->demand);
    for (uint32_t i = 0; i < b->active_count; i++) {
        const struct sim_class *c = &b->class[b->active[i]];
        struct sim_class_state *s = &b->state[b->active[i]];
        s->target = -1;
        for (uint32_t k = 0; k < c->uses; k++) {
            b->users[c->use[k].resource] += s->count;
            b->demand[c->use[k].resource] += demand_of(c, s->count, &c->use[k]);
        }
    }
    for (uint32_t r = 0; r < b->resources; r++) {
        const struct sim_resource *res = &b->resource[r];
        if (b->users[r])
            b->left[r] = res->bytes_per_s[b->users[r] < res->entries ? b->users[r] : res->entries - 1];
    }
}

static void fix_speed(struct sim_bandwidth *b, uint32_t class_id, double speed)
{
    const struct sim_class *c = &b->class[class_id];
    struct sim_class_state *s = &b->state[class_id];
    s->target = speed;
    for (uint32_t k = 0; k < c->uses; k++) {
        uint32_t r = c->use[k].resource;
        double demand = demand_of(c, s->count, &c->use[k]);
        b->left[r] -= demand * speed;
        b->demand[r] -= demand;
        b->users[r] -= s->count;
    }
}

/* The resource that leaves the flows still open the lowest speed, and that speed; NONE if nothing is open. */
static uint32_t bottleneck(const struct sim_bandwidth *b, double *speed)
{
    uint32_t worst = NONE;
    *speed = INFINITY;
    for (uint32_t r = 0; r < b->resources; r++)
        if (b->users[r] && b->left[r] / b->demand[r] < *speed) {
            worst = r;
            *speed = b->left[r] / b->demand[r] > 0 ? b->left[r] / b->demand[r] : 0;
        }
    return worst;
}

static int uses(const struct sim_class *c, uint32_t resource)
{
    for (uint32_t k = 0; k < c->uses; k++)
        if (c->use[k].resource == resource)
            return 1;
    return 0;
}

/* Again and again: whoever cannot go as fast as the scarcest resource would let it goes as fast as it can; if there is
 * none, the flows of the scarcest resource go at the speed it leaves them. */
static void fill(struct sim_bandwidth *b)
{
    open_all(b);
    for (uint32_t open = b->active_count; open > 0;) {
        double speed;
        uint32_t scarce = bottleneck(b, &speed), fixed = 0;
        for (uint32_t i = 0; i < b->active_count; i++) {
            uint32_t id = b->active[i];
            double own = own_speed(b, &b->class[id]);
            if (b->state[id].target < 0 && own <= speed) {
                fix_speed(b, id, own);
                fixed++;
            }
        }
        for (uint32_t i = 0, none = fixed == 0; none && i < b->active_count; i++) {
            uint32_t id = b->active[i];
            if (b->state[id].target < 0 && uses(&b->class[id], scarce)) {
                fix_speed(b, id, speed);
                fixed++;
            }
        }
        open -= fixed;
    }
}

static uint64_t fixed_point(double speed)
{
    uint64_t bits = (uint64_t)(speed * (double)(UINT64_C(1) << SPEED_BITS) + 0.5);
    return bits ? bits : 1;
}

int sim_bandwidth_settle(struct sim_bandwidth *b, struct sim_queue *queue, uint64_t now_ps)
{
    b->dirty = 0;
    fill(b);
    for (uint32_t i = 0; i < b->active_count; i++) {
        uint32_t id = b->active[i];
        struct sim_class_state *s = &b->state[id];
        uint64_t speed = fixed_point(s->target);
        if (speed == s->speed && !s->moved)
            continue;
        catch_up(s, now_ps);
        s->speed = speed;
        s->moved = 0;
        s->generation++;
        uint64_t end = b->flow[s->first].end, left = end > s->progress ? end - s->progress : 0;
        uint64_t wait_ps = (uint64_t)((((unsigned __int128)left << SHIFT) + speed - 1) / speed);
        if (sim_queue_push(queue, now_ps + wait_ps, b->base_target + id, s->generation) != 0)
            return -ENOMEM;
    }
    return 0;
}
