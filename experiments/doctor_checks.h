/* What on this host spoils measurements or features. Every check only looks, or tries something and undoes it. */
#ifndef SHMCOLL_EXPERIMENTS_DOCTOR_CHECKS_H
#define SHMCOLL_EXPERIMENTS_DOCTOR_CHECKS_H

enum doctor_state { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_WARN, DOCTOR_MISSING, DOCTOR_UNKNOWN };

struct doctor_finding {
    enum doctor_state state;
    char found[640];
    char remedy[200]; /* empty: nothing to do */
};

struct doctor_check {
    const char *name;
    const char *about; /* what it is about, for --help and the manual */
    void (*look)(struct doctor_finding *out);
};

/* Ends with a NULL name. */
extern const struct doctor_check doctor_checks[];

/* One line of a file of /proc or /sys without its line end. 0 or -errno. */
int doctor_read_line(const char *path, char *line, int bytes);
/* The word in [brackets] of such a line, in place: "always [madvise] never" gives madvise. */
void doctor_pick_bracketed(char *line);

void doctor_set(struct doctor_finding *out, enum doctor_state state, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Features: can this process do it at all? */
void doctor_look_cma(struct doctor_finding *out);
void doctor_look_yama(struct doctor_finding *out);
void doctor_look_seccomp(struct doctor_finding *out);
void doctor_look_memfd(struct doctor_finding *out);
void doctor_look_pidfd(struct doctor_finding *out);
void doctor_look_move_pages(struct doctor_finding *out);
void doctor_look_mbind(struct doctor_finding *out);
/* What ranks meet together */
void doctor_look_pinning(struct doctor_finding *out);
void doctor_look_replacements(struct doctor_finding *out);
/* Memory */
void doctor_look_dev_shm(struct doctor_finding *out);
void doctor_look_memory(struct doctor_finding *out);
void doctor_look_thp(struct doctor_finding *out);
void doctor_look_thp_shmem(struct doctor_finding *out);
void doctor_look_hugepages(struct doctor_finding *out);
void doctor_look_numa_balancing(struct doctor_finding *out);
/* Processors and clocks */
void doctor_look_cpus(struct doctor_finding *out);
void doctor_look_cpu_quota(struct doctor_finding *out);
void doctor_look_smt(struct doctor_finding *out);
void doctor_look_governor(struct doctor_finding *out);
void doctor_look_turbo(struct doctor_finding *out);
void doctor_look_virtual(struct doctor_finding *out);
void doctor_look_load(struct doctor_finding *out);
void doctor_look_clock(struct doctor_finding *out);

#endif
