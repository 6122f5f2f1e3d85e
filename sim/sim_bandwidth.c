#include "sim/sim_bandwidth.h"

#include <math.h>
#include <string.h>

enum { NONE = UINT32_MAX, PROGRESS_BITS = 16, SPEED_BITS = 32 };

/* Picoseconds to progress: dt * speed has SPEED_BITS binary places. */
enum { SHIFT = SPEED_BITS - PROGRESS_BITS };

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

/* A class that is never without flows would count beyond its 48 bits of picoseconds. */
static void count_anew(struct sim_bandwidth *b, struct sim_class_state *s)
{
    for (uint32_t flow = s->first; flow != NONE; flow = b->flow[flow].next)
        b->flow[flow].end -= b->flow[flow].end < s->progress ? b->flow[flow].end : s->progress;
    s->progress = 0;
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
    if (s->progress >> 62)
        count_anew(b, s);
    b->flow[flow] = (struct sim_flow){.end = s->progress + (alone_ps << PROGRESS_BITS), .class_id = class_id};
    uint32_t first = s->first;
    insert(b, s, flow);
    s->moved |= s->count == 0 || first != s->first;
    s->count++;
    if (b->plan->class[class_id].group != SIM_NO_GROUP)
        b->group_count[b->plan->class[class_id].group]++;
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
    if (b->plan->class[class_id].group != SIM_NO_GROUP)
        b->group_count[b->plan->class[class_id].group]--;
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

static void use(struct sim_bandwidth_plan *p, uint32_t resource)
{
    uint32_t at = p->used_count++;
    while (at > 0 && p->used[at - 1] > resource) {
        p->used[at] = p->used[at - 1];
        at--;
    }
    p->used[at] = resource;
    p->demand[resource] = 0;
}

/* Resources full, classes open. */
static void open_all(const struct sim_bandwidth *b)
{
    struct sim_bandwidth_plan *p = b->plan;
    p->used_count = 0;
    for (uint32_t i = 0; i < b->active_count; i++) {
        const struct sim_class *c = &p->class[b->active[i]];
        struct sim_class_state *s = &b->state[b->active[i]];
        s->target = -1;
        for (uint32_t k = 0; k < c->uses; k++) {
            uint32_t r = c->use[k].resource;
            if (!p->users[r])
                use(p, r);
            p->users[r] += s->count;
            p->demand[r] += demand_of(c, s->count, &c->use[k]);
        }
    }
    for (uint32_t i = 0; i < p->used_count; i++) {
        const struct sim_resource *res = &p->resource[p->used[i]];
        uint32_t users = p->users[p->used[i]];
        p->left[p->used[i]] = res->bytes_per_s[users < res->entries ? users : res->entries - 1];
    }
}

static void fix_speed(const struct sim_bandwidth *b, uint32_t class_id, double speed)
{
    struct sim_bandwidth_plan *p = b->plan;
    const struct sim_class *c = &p->class[class_id];
    struct sim_class_state *s = &b->state[class_id];
    s->target = speed;
    for (uint32_t k = 0; k < c->uses; k++) {
        uint32_t r = c->use[k].resource;
        double demand = demand_of(c, s->count, &c->use[k]);
        p->left[r] -= demand * speed;
        p->demand[r] -= demand;
        p->users[r] -= s->count;
    }
}

/* The resource that leaves the flows still open the lowest speed, and that speed; NONE if nothing is open. */
static uint32_t bottleneck(const struct sim_bandwidth_plan *p, double *speed)
{
    uint32_t worst = NONE;
    *speed = INFINITY;
    for (uint32_t i = 0; i < p->used_count; i++) {
        uint32_t r = p->used[i];
        if (p->users[r] && p->left[r] / p->demand[r] < *speed) {
            worst = r;
            *speed = p->left[r] / p->demand[r] > 0 ? p->left[r] / p->demand[r] : 0;
        }
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
static void fill(const struct sim_bandwidth *b)
{
    open_all(b);
    for (uint32_t open = b->active_count; open > 0;) {
        double speed;
        uint32_t scarce = bottleneck(b->plan, &speed), fixed = 0;
        for (uint32_t i = 0; i < b->active_count; i++) {
            uint32_t id = b->active[i];
            double own = own_speed(b, &b->plan->class[id]);
            if (b->state[id].target < 0 && own <= speed) {
                fix_speed(b, id, own);
                fixed++;
            }
        }
        for (uint32_t i = 0, none = fixed == 0; none && i < b->active_count; i++) {
            uint32_t id = b->active[i];
            if (b->state[id].target < 0 && uses(&b->plan->class[id], scarce)) {
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

static struct sim_shares *place_of(const struct sim_bandwidth *b)
{
    uint32_t hash = 0;
    for (uint32_t i = 0; i < b->active_count; i++)
        hash = (hash + (b->active[i] << 8) + b->state[b->active[i]].count) * UINT32_C(0x9e3779b1);
    return &b->plan->kept[hash >> 16 & (SIM_SHARES_KEPT - 1)];
}

static int are_same(const struct sim_bandwidth *b, const struct sim_shares *shares)
{
    if (shares->classes != b->active_count)
        return 0;
    for (uint32_t i = 0; i < b->active_count; i++)
        if (shares->of[i].class_id != b->active[i] || shares->of[i].count != b->state[b->active[i]].count)
            return 0;
    return 1;
}

/* Speeds of the active classes, if they are few: as found before, or found now. */
static const uint64_t *kept_speeds(const struct sim_bandwidth *b)
{
    struct sim_shares *shares = place_of(b);
    if (are_same(b, shares))
        return shares->speed;
    fill(b);
    shares->classes = b->active_count;
    for (uint32_t i = 0; i < b->active_count; i++) {
        const struct sim_class_state *s = &b->state[b->active[i]];
        shares->of[i].class_id = b->active[i];
        shares->of[i].count = s->count;
        shares->speed[i] = fixed_point(s->target);
    }
    return shares->speed;
}

/* When the next flow of a class ends that goes at its speed since now. */
static uint64_t next_end_ps(const struct sim_bandwidth *b, const struct sim_class_state *s)
{
    uint64_t end = b->flow[s->first].end, left = end > s->progress ? end - s->progress : 0;
    if (left >> 47 == 0 && s->speed >> 63 == 0) /* 2 ms alone, as nearly all; wide division takes longer than all the rest */
        return s->since_ps + ((left << SHIFT) + s->speed - 1) / s->speed;
    return s->since_ps + (uint64_t)((((unsigned __int128)left << SHIFT) + s->speed - 1) / s->speed);
}

uint32_t sim_bandwidth_speeds(struct sim_bandwidth *b, uint64_t now_ps)
{
    const uint64_t *kept = b->active_count <= SIM_SHARES_MAX ? kept_speeds(b) : NULL;
    uint32_t endings = 0;
    b->dirty = 0;
    if (!kept)
        fill(b);
    for (uint32_t i = 0; i < b->active_count; i++) {
        uint32_t id = b->active[i];
        struct sim_class_state *s = &b->state[id];
        uint64_t speed = kept ? kept[i] : fixed_point(s->target);
        if (speed == s->speed && !s->moved)
            continue;
        catch_up(s, now_ps);
        s->speed = speed;
        s->moved = 0;
        s->generation++;
        b->plan->ending[endings++] = (struct sim_ending){next_end_ps(b, s), id, s->generation};
    }
    return endings;
}

int sim_bandwidth_settle(struct sim_bandwidth *b, struct sim_queue *queue, uint64_t now_ps)
{
    uint32_t endings = sim_bandwidth_speeds(b, now_ps);
    int err = 0;
    for (uint32_t i = 0; i < endings && !err; i++) {
        const struct sim_ending *ending = &b->plan->ending[i];
        err = sim_queue_push(queue, ending->time_ps, b->base_target + ending->class_id, ending->generation);
    }
    return err;
}
