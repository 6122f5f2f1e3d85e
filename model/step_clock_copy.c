/* Copies of the step clock: what they load, and how fast they go while others copy. */
#include "model/shared_read.h"
#include "model/step_clock_state.h"

#include <math.h>
#include <string.h>

enum { READ_THIRDS = 1, WRITE_THIRDS = 2 };

static uint32_t user_domain(const struct step_clock *c, uint32_t r)
{
    int32_t wanted = c->costs->scenario->conditions.buffer_domain;
    return wanted < 0 ? step_costs_domain(c->costs, r) : (uint32_t)wanted;
}

/* The slot's side of a copy-out: thirds of it that come from another domain. The first reader at a cache brings it there. */
static uint32_t slot_side(struct step_clock *c, uint32_t r, const struct step_place *slot)
{
    struct clock_flow *f = &c->rank[r].flow;
    uint32_t item = slot->owner * c->slots + slot->index, *leader = &c->leader[(size_t)item * c->procs + c->cache_id[r]];
    int far = step_costs_domain(c->costs, slot->owner) != step_costs_domain(c->costs, r);
    if (*leader == STEP_NOBODY) {
        *leader = r;
        f->slot = item;
        f->from_domain = c->costs->queue_in_memory ? step_costs_domain(c->costs, slot->owner) : STEP_NOBODY;
        f->from_socket = step_costs_socket(c->costs, slot->owner);
        return far ? READ_THIRDS : 0;
    }
    return far && c->rank[*leader].flow.slot == item ? READ_THIRDS : 0;
}

/* What someone at this cache has read of a peer's buffer is there; the first reader fetches it from the peer's domain, and who
 * reads it meanwhile goes at his pace. Returns whether it is there. */
static int peer_side(struct step_clock *c, uint32_t r, const struct step *s, uint32_t *thirds)
{
    struct clock_flow *f = &c->rank[r].flow;
    uint32_t owner = s->from.kind == PLACE_PEER ? s->from.owner : r;
    struct clock_peer *peer = &c->peer[(size_t)c->cache_id[r] * c->procs + owner];
    const struct clock_rank *leader = &c->rank[peer->leader];
    int come = peer->end_bytes > s->offset_bytes;
    int coming = come && peer->leader != r && leader->phase >= CLOCK_COPY && leader->phase <= CLOCK_COPYING &&
                 leader->step.offset_bytes <= s->offset_bytes;
    if (!come) {
        *peer = (struct clock_peer){s->offset_bytes + s->bytes, r};
        f->from_domain = c->costs->users_cold ? user_domain(c, owner) : STEP_NOBODY;
        f->from_socket = step_costs_socket(c->costs, owner);
    }
    *thirds = (come && !coming) || user_domain(c, owner) == step_costs_domain(c->costs, r) ? 0 : READ_THIRDS;
    return come && !coming;
}

static void new_content(struct step_clock *c, const struct step_place *slot)
{
    for (uint32_t i = 0; i < c->procs; i++)
        c->leader[((size_t)slot->owner * c->slots + slot->index) * c->procs + i] = STEP_NOBODY;
}

void step_clock_copy_read(struct step_clock *c, uint32_t r)
{
    const struct step *s = &c->rank[r].step;
    c->peer[(size_t)c->cache_id[r] * c->procs + r] = (struct clock_peer){s->offset_bytes + s->bytes, r};
}

/* Sides and distance of a copy; returns its kind and the thirds that are far. */
static enum step_copy_kind sides(struct step_clock *c, uint32_t r, uint32_t *far)
{
    const struct step *s = &c->rank[r].step;
    struct clock_flow *f = &c->rank[r].flow;
    uint32_t here = step_costs_domain(c->costs, r), user = user_domain(c, r);
    uint32_t user_far = c->costs->users_cold && user != here;
    uint32_t user_at = c->costs->users_cold ? user : STEP_NOBODY;
    if (s->to.kind == PLACE_SLOT && s->from.kind != PLACE_SLOT) {
        f->kind = FLOW_IN;
        f->from_domain = user_at;
        f->to_domain = c->costs->queue_in_memory ? step_costs_domain(c->costs, s->to.owner) : STEP_NOBODY;
        new_content(c, &s->to);
        step_clock_copy_read(c, r);
        *far = user_far * READ_THIRDS;
        return STEP_COPY_IN;
    }
    if (s->from.kind == PLACE_SLOT) {
        f->kind = FLOW_OUT;
        f->to_domain = user_at;
        *far = user_far * WRITE_THIRDS + slot_side(c, r, &s->from);
        if (s->to.kind == PLACE_SLOT) {
            new_content(c, &s->to);
            return STEP_COPY_RELAY;
        }
        return STEP_COPY_OUT;
    }
    int known = peer_side(c, r, s, far), own = s->from.kind != PLACE_PEER;
    f->kind = FLOW_PLAIN;
    f->to_domain = c->costs->users_cold ? user_domain(c, s->to.kind == PLACE_PEER ? s->to.owner : r) : STEP_NOBODY;
    *far += c->costs->users_cold && f->to_domain != here ? WRITE_THIRDS : 0;
    if (s->to.kind == PLACE_PEER)
        return STEP_COPY_PUSH;
    return own ? known ? STEP_COPY_OWN_CACHED : STEP_COPY_OWN : known ? STEP_COPY_PULL_CACHED : STEP_COPY_PULL;
}

/* A short copy into a slot ends in the store buffer. Its lines are still with who read the slot last, and until they have come no
 * store after the copy is seen; longer copies fetch their last lines while the first ones leave. */
static double short_tail_s(const struct step_clock *c, uint32_t r)
{
    uint32_t reader = r + 1 < c->procs ? r + 1 : 0;
    if (c->rank[r].flow.kind != FLOW_IN || c->rank[r].step.bytes > STEP_STORE_BUFFER_BYTES)
        return 0;
    return c->costs->handover_s[(size_t)reader * c->procs + r] * (1 - c->costs->fetch_share);
}

void step_clock_copy_prepare(struct step_clock *c, uint32_t r)
{
    struct clock_rank *rank = &c->rank[r];
    struct clock_flow *f = &rank->flow;
    uint32_t far = 0, socket = step_costs_socket(c->costs, r);
    *f = (struct clock_flow){.slot = STEP_NOBODY, .from_domain = STEP_NOBODY, .to_domain = STEP_NOBODY, .from_socket = socket,
                             .to_socket = socket};
    enum step_copy_kind kind = sides(c, r, &far);
    const struct step_copy_cost *cost = step_costs_copy(c->costs, kind, rank->step.bytes);
    double slower = 1 / quantity_or(&c->costs->scenario->machine.node->remote_ratio, 1) - 1;
    uint32_t ahead = rank->step.bytes < STEP_STORE_BUFFER_BYTES ? rank->step.bytes : STEP_STORE_BUFFER_BYTES;
    double moving_s = cost->alone_s - cost->start_s;
    f->start_s = cost->start_s;
    f->left_s = moving_s * (1 + slower * far / 3);
    if ((kind == STEP_COPY_PULL || kind == STEP_COPY_PULL_CACHED) && shared_read_applies(c->costs->scenario))
        f->left_s = shared_read_s(c->costs->scenario, rank->step.bytes, moving_s);
    f->tail_s = fmax(cost->tail_s, short_tail_s(c, r));
    f->ahead_s = rank->step.bytes ? moving_s * ahead / rank->step.bytes : 0;
    f->bytes_per_s = f->left_s > 0 ? rank->step.bytes / f->left_s : INFINITY;
    f->beside_speed = cost->beside_s > cost->alone_s && moving_s > 0 ? moving_s / (cost->beside_s - cost->start_s) : 1;
}

static void count_use(struct clock_domain *d, const struct clock_flow *f, uint32_t thirds)
{
    d->demand_bytes_per_s += thirds * f->bytes_per_s / 3;
    d->users++;
    d->plain += f->kind == FLOW_PLAIN;
}

static void count_domains(struct step_clock *c)
{
    memset(c->domain, 0, c->costs->scenario->machine.node->domains * sizeof *c->domain);
    for (uint32_t i = 0; i < c->procs; i++) {
        const struct clock_flow *f = &c->rank[i].flow;
        if (c->rank[i].phase != CLOCK_COPYING)
            continue;
        c->domain[step_costs_domain(c->costs, i)].kind[f->kind]++;
        if (f->from_domain != STEP_NOBODY)
            count_use(&c->domain[f->from_domain], f, f->from_domain == f->to_domain ? READ_THIRDS + WRITE_THIRDS : READ_THIRDS);
        if (f->to_domain != STEP_NOBODY && f->to_domain != f->from_domain)
            count_use(&c->domain[f->to_domain], f, WRITE_THIRDS);
    }
}

/* All of an allgather copy the same way at one time: from and to cold memory that costs them as much as the counterpart does. */
static int counterpart_copies(const struct step_clock *c, uint32_t r)
{
    const struct clock_domain *d = &c->domain[step_costs_domain(c->costs, r)];
    enum flow_kind kind = c->rank[r].flow.kind;
    if (c->others && c->costs->users_cold && kind != FLOW_PLAIN)
        return d->kind[FLOW_IN] + d->kind[FLOW_OUT] > 1;
    return kind != FLOW_PLAIN && d->kind[kind == FLOW_IN ? FLOW_OUT : FLOW_IN] > 0;
}

/* Share of full speed that a domain's controller leaves to those who use it. */
static double controller_share(const struct step_clock *c, uint32_t domain)
{
    const struct clock_domain *d = &c->domain[domain == STEP_NOBODY ? 0 : domain];
    /* What two counterparts share was measured with them. */
    int pair = d->users == 2 && d->plain == 0 && (!c->others || d->kind[FLOW_IN] == 1);
    if (domain == STEP_NOBODY || d->users < 2 || (pair && c->costs->pair_measured))
        return 1;
    double limit = step_costs_bandwidth(c->costs, d->users);
    return d->demand_bytes_per_s > limit ? limit / d->demand_bytes_per_s : 1;
}

static double link_share(const struct step_clock *c, uint32_t from, uint32_t to)
{
    double limit = quantity_or(&c->costs->scenario->machine.node->link_bytes_per_s, INFINITY), demand = 0;
    if (from == to || isinf(limit))
        return 1;
    for (uint32_t i = 0; i < c->procs; i++) {
        const struct clock_flow *f = &c->rank[i].flow;
        if (c->rank[i].phase == CLOCK_COPYING && f->from_socket == from && f->to_socket == to)
            demand += f->bytes_per_s;
    }
    return demand > limit ? limit / demand : 1;
}

static double speed_of(const struct step_clock *c, uint32_t r)
{
    const struct clock_flow *f = &c->rank[r].flow;
    double speed = f->beside_speed < 1 && counterpart_copies(c, r) ? f->beside_speed : 1;
    if (c->copying > 1) {
        speed = fmin(speed, controller_share(c, f->from_domain));
        if (f->to_domain != f->from_domain)
            speed = fmin(speed, controller_share(c, f->to_domain));
    }
    return fmin(speed, link_share(c, f->from_socket, f->to_socket));
}

/* Somebody has begun or ended: all who copy have a speed of now. */
static void set_speeds(struct step_clock *c)
{
    count_domains(c);
    for (uint32_t r = 0; r < c->procs; r++) {
        struct clock_rank *rank = &c->rank[r];
        if (rank->phase != CLOCK_COPYING)
            continue;
        double speed = speed_of(c, r);
        rank->flow.left_s = fmax(rank->flow.left_s - (c->now_s - rank->flow.since_s) * rank->flow.speed, 0);
        rank->flow.since_s = c->now_s;
        rank->flow.speed = speed;
        rank->at_s = c->now_s + rank->flow.left_s / speed;
    }
}

void step_clock_copy_begin(struct step_clock *c, uint32_t r)
{
    c->rank[r].phase = CLOCK_COPYING;
    c->rank[r].flow.speed = 0;
    c->rank[r].flow.since_s = c->now_s;
    c->copying++;
    set_speeds(c);
}

void step_clock_copy_end(struct step_clock *c, uint32_t r)
{
    c->rank[r].phase = CLOCK_NEXT;
    c->rank[r].flow.slot = STEP_NOBODY;
    c->copying--;
    if (c->copying)
        set_speeds(c);
}

double step_clock_line_s(struct step_clock *c, const struct step *s)
{
    if (s->from.kind == PLACE_LINE && s->to.kind == PLACE_LINE)
        return 0;
    int in = s->to.kind == PLACE_LINE;
    const struct step_copy_cost *cost = step_costs_copy(c->costs, in ? STEP_COPY_IN : STEP_COPY_OUT, s->bytes);
    return in ? cost->alone_s : cost->alone_s - cost->start_s;
}
