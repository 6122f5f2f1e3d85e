/* What the executors do off the fast path: long waits, failures, and the fault points of test builds. */
#include "kernels/execute.h"

#include <stdio.h>

#ifdef SHMCOLL_FAULT_POINTS
#include <signal.h>
#endif

static void note(struct comm *comm, const struct lane *lane, uint32_t root, const struct step *step)
{
    comm->at = (struct step_at){.call = &lane->call, .protocol = lane->protocol->name, .step = *step, .root = root};
}

int execute_wait(struct comm *comm, const struct lane *lane, uint32_t root, uint32_t name, uint32_t op, atomic_word *word,
                 uint32_t value, uint32_t *seen)
{
    struct step step = {.op = op, .name = name, .value = value};
    segment_word_find(lane->layout, (uint64_t)((char *)word - lane->base), &step.word, &step.owner, &step.index);
    note(comm, lane, root, &step);
    return wait_slowly(&comm->waiter, word, op, value, seen);
}

int execute_failed(struct comm *comm, const struct lane *lane, uint32_t root, uint32_t name, int64_t peer, int error)
{
    struct step step = {.op = STEP_COPY, .name = name};
    if (peer >= 0)
        step.from = (struct step_place){.kind = PLACE_PEER, .owner = (uint32_t)peer};
    note(comm, lane, root, &step);
    return error;
}

static void stall_format(const struct comm *comm, struct comm_stall *stall)
{
    const char *must = stall->op == STEP_WAIT_EQ ? "must be" : stall->op == STEP_WAIT_NE ? "must not be" : "must reach";
    char at[64], root[24] = "";
    step_text_brief(&comm->at, at, sizeof at);
    if (comm->at.root < comm->config.procs)
        snprintf(root, sizeof root, "root %u, ", comm->at.root);
    snprintf(stall->text, sizeof stall->text, "rank %u has waited %.3g s at %s (%s, %scall %u): %s is %u, it %s %u", stall->rank,
             stall->waited_s, at, stall->protocol, root, stall->call, stall->word, stall->seen, must, stall->value);
}

void comm_stalled(void *context, atomic_word *word, uint32_t seen, uint64_t waited_ns)
{
    struct comm *comm = context;
    const struct step_at *at = &comm->at;
    (void)word;
    struct comm_stall stall = {.rank = comm->config.rank, .awaited = step_text_awaited(at), .protocol = at->protocol,
                               .step = step_name_string(at->step.name), .call = comm->liveness.calls - 1, .op = at->step.op,
                               .value = at->step.value, .seen = seen, .waited_s = (double)waited_ns * 1e-9};
    step_text_word(&at->step, stall.word, sizeof stall.word);
    stall_format(comm, &stall);
    comm->config.stall(comm->config.stall_context, &stall);
}

#ifdef SHMCOLL_FAULT_POINTS
/* As far as a step can be done by half. */
static void execute_half(struct comm *comm, const struct lane *lane, const struct message *m, const struct step *s,
                         uint64_t size_bytes, uint32_t root)
{
    struct step half = *s;
    switch (s->op) {
    case STEP_COPY:
        half.bytes /= 2;
        execute_copy(comm, lane, m, &half, size_bytes, root);
        return;
    case STEP_OFFER:
        offer(comm, lane, m, s->owner, size_bytes);
        return;
    case STEP_STORE:
        word_store_release(step_word(lane, s), s->value);
        return;
    case STEP_ADD:
    case STEP_TAKE:
        word_add_acq_rel(step_word(lane, s), s->value);
        return;
    default:
        return;
    }
}

void execute_fault_point(struct comm *comm, const struct lane *lane, const struct message *m, const struct step *s,
                         uint64_t size_bytes, uint32_t root, uint32_t number)
{
    const struct fault_point *fault = &comm->fault;
    enum fault_verdict verdict =
        fault->visit ? fault->visit(fault->context, comm->liveness.calls - 1, number, s) : FAULT_NONE;
    if (verdict == FAULT_NONE)
        return;
    if (verdict == FAULT_WITHIN)
        execute_half(comm, lane, m, s, size_bytes, root);
    raise(SIGKILL);
}
#endif
