/* Labels of one rank of a GOAL text: a hash table from names to tasks, emptied from rank to rank in O(1).
 *
 * Names are copied, into one block that is used again from rank to rank. */
#ifndef SHMCOLL_MODEL_FORMATS_GOAL_LABELS_H
#define SHMCOLL_MODEL_FORMATS_GOAL_LABELS_H

#include <stddef.h>
#include <stdint.h>

struct goal_label {
    size_t name; /* where it begins among the names */
    uint32_t bytes, hash, task, round; /* empty unless of the table's round */
};

struct goal_labels {
    struct goal_label *slot; /* [mask + 1] */
    uint32_t mask, count, round;
    char *names;
    size_t names_bytes, names_room;
};

/* 0 or -ENOMEM. */
int goal_labels_create(struct goal_labels *labels);
void goal_labels_destroy(struct goal_labels *labels);
void goal_labels_clear(struct goal_labels *labels);
/* 0, -EEXIST if the name is taken, or -ENOMEM. */
int goal_labels_add(struct goal_labels *labels, const char *name, size_t bytes, uint32_t task);
/* The task of that name; 0, or -ENOENT. */
int goal_labels_find(const struct goal_labels *labels, const char *name, size_t bytes, uint32_t *task);

#endif
