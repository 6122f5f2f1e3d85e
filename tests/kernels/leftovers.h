/* What a run might leave behind: children, descriptors, mappings, names in /dev/shm. */
#ifndef SHMCOLL_TESTS_LEFTOVERS_H
#define SHMCOLL_TESTS_LEFTOVERS_H

#include <stddef.h>

struct leftovers {
    unsigned descriptors, shared_names;
};

struct leftovers leftovers_count(void);
/* NULL if nothing more is there than before, else what. */
const char *leftovers_find(struct leftovers before);

#endif
