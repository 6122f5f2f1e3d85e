/* Names of hosts as Slurm writes lists of them: a,b,node[1-3,7],rack[01-16]. */
#ifndef SHMCOLL_EXPERIMENTS_HOST_LIST_H
#define SHMCOLL_EXPERIMENTS_HOST_LIST_H

#include <stddef.h>

enum { HOST_LIST_MAX = 1 << 16 };

struct host_list {
    char **own;
    const char *const *name; /* [count], the same */
    size_t count, room;
};

/* One pair of brackets a name; numbers keep the digits of the first. To be given to host_list_destroy(), which failure makes
 * empty. 0; -EINVAL with one line in `reason`; -ENOMEM with one as well. */
int host_list_parse(const char *text, struct host_list *out, char *reason, size_t reason_bytes);
void host_list_destroy(struct host_list *list);

#endif
