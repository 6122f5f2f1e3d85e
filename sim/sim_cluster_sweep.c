/* Round by round: in each, all ranks send, then all receive. What a rank is about to receive was sent in the same round, and is
 * found at the sender. */
#include "sim/sim_cluster.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { OVER = UINT32_MAX }; /* as a round: the rank has no more steps */

/* One cache line a rank: where it is, and its step of `round`. */
struct swept {
    struct loggp_rank at;
    uint64_t first_byte_ps; /* of what it has sent, at the receiver */
    uint64_t send_bytes;
    uint32_t round, next_step, send_to, receive_from;
    uint64_t receive_bytes;
};
_Static_assert(sizeof(struct swept) == 64, "a cache line a rank");

struct sweep {
    struct sim_cluster_call *call;
    struct swept *rank; /* [procs] */
    uint64_t *ready_ps; /* [procs] when each would have sent, but for its port; NULL: nobody wants to know */
    uint32_t left;      /* ranks that have steps */
};

static void load(struct sweep *s, uint32_t r)
{
    struct schedule_step step;
    struct swept *rank = &s->rank[r];
    if (!sim_cluster_next(s->call->question, r, &rank->next_step, &step)) {
        rank->round = OVER;
        s->left--;
        return;
    }
    rank->round = step.round;
    rank->send_to = step.send_to;
    rank->receive_from = step.receive_from;
    rank->send_bytes = step.send_to != SCHEDULE_NONE ? sim_cluster_bytes(s->call->question, &step.send) : 0;
    rank->receive_bytes = step.receive_from != SCHEDULE_NONE ? sim_cluster_bytes(s->call->question, &step.receive) : 0;
}

static void send_round(struct sweep *s, uint32_t round)
{
    const struct sim_cluster_question *q = s->call->question;
    uint64_t bytes = 0, steps = 0;
    for (uint32_t r = 0; r < q->schedule->procs; r++) {
        struct swept *rank = &s->rank[r];
        if (rank->round < round)
            load(s, r); /* what others wanted of its last step they have had */
        if (rank->round != round)
            continue;
        steps++;
        if (rank->send_to == SCHEDULE_NONE)
            continue;
        if (s->ready_ps)
            s->ready_ps[r] = rank->at.free_ps;
        rank->first_byte_ps = loggp_send(q->loggp, &rank->at, rank->send_bytes);
        bytes += rank->send_bytes;
    }
    s->call->answer.bytes_sent += bytes;
    s->call->answer.pops += steps;
}

static int tell_disagreement(const struct sweep *s, uint32_t r)
{
    const struct swept *rank = &s->rank[r];
    snprintf(s->call->reason, s->call->reason_bytes,
             "rank %u waits in round %u for %llu bytes from rank %u, which sends none such", r, rank->round,
             (unsigned long long)rank->receive_bytes, rank->receive_from);
    return -EPROTO;
}

static inline void received(struct sweep *s, uint32_t r, uint64_t want_ps)
{
    const struct loggp *p = s->call->question->loggp;
    const struct swept *rank = &s->rank[r], *from = &s->rank[rank->receive_from];
    struct sim_cluster_message message = {
        .from = rank->receive_from, .to = r, .round = rank->round, .bytes = rank->receive_bytes};
    if (s->ready_ps) {
        message.ready_ps = s->ready_ps[rank->receive_from];
        message.send_end_ps = from->first_byte_ps - p->latency_ps;
        message.send_ps = message.send_end_ps - p->overhead_ps;
        message.send_work_ps = p->overhead_ps;
        message.first_byte_ps = from->first_byte_ps;
        message.alone_ps = from->first_byte_ps + loggp_stream_ps(p, message.bytes);
        message.last_byte_ps = rank->at.in_ps - p->receiver_gap_ps;
        message.want_ps = want_ps;
        message.end_ps = rank->at.free_ps;
        message.take_ps = message.end_ps - p->overhead_ps;
    }
    sim_cluster_received(s->call, &message);
}

static int receive_round(struct sweep *s, uint32_t round)
{
    const struct sim_cluster_question *q = s->call->question;
    for (uint32_t r = 0; r < q->schedule->procs; r++) {
        struct swept *rank = &s->rank[r];
        if (rank->round != round || rank->receive_from == SCHEDULE_NONE)
            continue;
        const struct swept *from = &s->rank[rank->receive_from];
        if (from->round != round || from->send_to != r || from->send_bytes != rank->receive_bytes)
            return tell_disagreement(s, r);
        uint64_t want_ps = rank->at.free_ps;
        loggp_receive(q->loggp, &rank->at, from->first_byte_ps, rank->receive_bytes);
        received(s, r, want_ps);
    }
    return 0;
}

static int sweep(struct sweep *s)
{
    struct sim_cluster_answer *answer = &s->call->answer;
    const struct schedule *schedule = s->call->question->schedule;
    uint32_t rounds = schedule_rounds(schedule);
    int err = 0;
    for (uint32_t r = 0; r < schedule->procs; r++)
        load(s, r);
    for (uint32_t round = 0; !err && round < rounds && s->left; round++) {
        send_round(s, round);
        err = receive_round(s, round);
    }
    for (uint32_t r = 0; r < schedule->procs; r++) {
        answer->time_ps = loggp_later_ps(answer->time_ps, s->rank[r].at.free_ps);
        if (s->call->question->end_ps)
            s->call->question->end_ps[r] = s->rank[r].at.free_ps;
    }
    if (!err && answer->bytes_sent != answer->bytes_received) {
        snprintf(s->call->reason, s->call->reason_bytes, "%llu bytes were sent and %llu received",
                 (unsigned long long)answer->bytes_sent, (unsigned long long)answer->bytes_received);
        err = -EPROTO;
    }
    return err;
}

int sim_cluster_sweep(struct sim_cluster_call *call)
{
    struct sweep s = {.call = call, .left = call->question->schedule->procs};
    s.rank = aligned_alloc(sizeof *s.rank, s.left * sizeof *s.rank);
    s.ready_ps = call->question->observer ? calloc(s.left, sizeof *s.ready_ps) : NULL;
    int err = s.rank && (s.ready_ps || !call->question->observer) ? 0 : -ENOMEM;
    for (uint32_t r = 0; r < s.left && !err; r++)
        s.rank[r] = (struct swept){.at.free_ps = sim_cluster_start_ps(call->question, r)};
    err = err ? err : sweep(&s);
    free(s.rank);
    free(s.ready_ps);
    return err;
}
