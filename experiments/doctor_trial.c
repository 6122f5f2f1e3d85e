/* Doctor: what the ranks of a run meet together. Two are really started, and tell. */
#include "experiments/doctor_checks.h"
#include "kernels/launcher.h"
#include "kernels/placement.h"

#include <stdio.h>
#include <string.h>

enum { RANKS = 2, PATIENCE_S = 10 };

/* The note of a communicator that wants all there is to want. */
static int trial(struct launch_rank *self, void *argument)
{
    (void)argument;
    struct comm_lane lane = {.protocol = &protocol_cooperative, .fragment_bytes = 4096, .slots = 2, .sets = 1,
                             .tree = {TREE_FLAT, 0}, .size_max_bytes = UINT64_MAX};
    struct comm_config config = comm_config_of(self->procs, self->rank, &lane);
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    char byte = 1;
    struct comm *comm;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    snprintf(self->result, COMM_NOTE_BYTES, "%s", comm_note(comm));
    error = comm_bcast(comm, &byte, 1, 0);
    comm_destroy(comm);
    return error;
}

void doctor_look_replacements(struct doctor_finding *out)
{
    char note[RANKS][COMM_NOTE_BYTES] = {{0}};
    struct launch_options options = {
        .procs = RANKS, .backend = BACKEND_PROCS, .timeout_s = PATIENCE_S, .result_bytes = COMM_NOTE_BYTES};
    struct launch_report report;
    int error = launcher_run(&options, trial, NULL, note, NULL, &report);
    if (error)
        doctor_set(out, DOCTOR_WARN, "the checks above: one of them tells what is missing", "two ranks cannot broadcast: %s",
                   report.reason);
    else if (note[0][0])
        doctor_set(out, DOCTOR_NOTE, "the checks above, each with its remedy; run -v tells the same", "%s", note[0]);
    else
        doctor_set(out, DOCTOR_OK, "", "none: ranks reach what they want to reach");
}

void doctor_look_pinning(struct doctor_finding *out)
{
    int error = placement_pin_try();
    if (error)
        doctor_set(out, DOCTOR_NOTE, "a seccomp profile that allows sched_setaffinity; else the kernel moves ranks as it likes",
                   "ranks cannot be pinned: %s", strerror(-error));
    else
        doctor_set(out, DOCTOR_OK, "", "sched_setaffinity works");
}
