#include "model/formats/launch_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int finish(FILE *out)
{
    return fflush(out) || ferror(out) ? -EIO : 0;
}

static void write_host(FILE *out, const struct launch *launch, uint32_t node)
{
    if (launch->host)
        fputs(launch->host[node], out);
    else if (launch->nodes == 1)
        fputs("localhost", out);
    else
        fprintf(out, "+n%" PRIu32, node);
}

static int write_rankfile(FILE *out, const struct launch *launch, char *reason, size_t reason_bytes)
{
    (void)reason;
    (void)reason_bytes;
    for (uint32_t r = 0; r < launch->ranks; r++) {
        fprintf(out, "rank %" PRIu32 "=", r);
        write_host(out, launch, launch->node_of_rank[r]);
        fprintf(out, " slot=%" PRIu32 "\n", launch->core_of_rank[r]);
    }
    return finish(out);
}

static int write_hostfile(FILE *out, const struct launch *launch, char *reason, size_t reason_bytes)
{
    if (!launch->host && launch->nodes > 1) {
        snprintf(reason, reason_bytes, "a host file needs names: give %" PRIu32 " hosts", launch->nodes);
        return -ENOTSUP;
    }
    for (uint32_t r = 0; r < launch->ranks; r++) {
        write_host(out, launch, launch->node_of_rank[r]);
        fputc('\n', out);
    }
    return finish(out);
}

/* Cores of the ranks of a node in their order, which must be the same on all nodes as far as they have ranks.
 *   rank_of  [slots] who of the first node said it
 * A node with fewer ranks takes the beginning of the list. 0, or -ENOTSUP. */
static int list_of_all(const struct launch *launch, uint32_t *have, uint32_t *core, uint32_t *rank_of, uint32_t *slots,
                       char *reason, size_t reason_bytes)
{
    *slots = 0;
    for (uint32_t r = 0; r < launch->ranks; r++) {
        uint32_t slot = have[launch->node_of_rank[r]]++;
        if (slot == *slots) {
            core[slot] = launch->core_of_rank[r];
            rank_of[(*slots)++] = r;
        } else if (core[slot] != launch->core_of_rank[r]) {
            snprintf(reason, reason_bytes,
                     "one list of cpus serves all nodes, but rank %" PRIu32 " is on core %" PRIu32 " of its node and rank %"
                     PRIu32 ", as far up on its own, on core %" PRIu32 ": write a rankfile, for Open MPI, instead",
                     rank_of[slot], core[slot], r, launch->core_of_rank[r]);
            return -ENOTSUP;
        }
    }
    return 0;
}

static int write_list(FILE *out, const char *head, const struct launch *launch, char *reason, size_t reason_bytes)
{
    uint32_t slots, *have = calloc(launch->nodes, sizeof *have), *core = calloc(launch->ranks, sizeof *core);
    uint32_t *rank_of = calloc(launch->ranks, sizeof *rank_of);
    int err = have && core && rank_of ? list_of_all(launch, have, core, rank_of, &slots, reason, reason_bytes) : -ENOMEM;
    for (uint32_t s = 0; !err && s < slots; s++)
        fprintf(out, "%s%" PRIu32, s ? "," : head, launch->core_os[core[s]]);
    if (!err) {
        fputc('\n', out);
        err = finish(out);
    }
    free(have);
    free(core);
    free(rank_of);
    return err;
}

static int write_mpich(FILE *out, const struct launch *launch, char *reason, size_t reason_bytes)
{
    uint32_t back = 0, *seen = calloc(launch->nodes, sizeof *seen);
    if (!seen)
        return -ENOMEM;
    for (uint32_t r = 0; r < launch->ranks; r++) {
        uint32_t node = launch->node_of_rank[r];
        if (!back && seen[node] && node != launch->node_of_rank[r - 1])
            back = r;
        seen[node] = 1;
    }
    free(seen);
    if (!back)
        return write_list(out, "-bind-to user:", launch, reason, reason_bytes);
    snprintf(reason, reason_bytes,
             "MPICH binds ranks of a node that follow each other, but rank %" PRIu32 " comes back to node %" PRIu32
             ": write a rankfile, for Open MPI, instead",
             back, launch->node_of_rank[back]);
    return -ENOTSUP;
}

static int write_slurm(FILE *out, const struct launch *launch, char *reason, size_t reason_bytes)
{
    return write_list(out, "--cpu-bind=map_cpu:", launch, reason, reason_bytes);
}

const struct launch_format launch_format_table[] = {
    {"rankfile", "Open MPI: mpirun --rankfile FILE", write_rankfile},
    {"mpich", "MPICH: mpiexec $(cat FILE)", write_mpich},
    {"slurm", "Slurm: srun $(cat FILE)", write_slurm},
    {"hostfile", "a host for every rank: SLURM_HOSTFILE=FILE srun --distribution=arbitrary", write_hostfile},
    {NULL, NULL, NULL},
};

const struct launch_format *launch_format_find(const char *name)
{
    for (const struct launch_format *f = launch_format_table; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}
