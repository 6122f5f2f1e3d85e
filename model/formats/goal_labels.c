#include "model/formats/goal_labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS_FIRST = 64 };

int goal_labels_create(struct goal_labels *labels)
{
    *labels = (struct goal_labels){.mask = LABELS_FIRST - 1, .round = 1};
    labels->slot = calloc(LABELS_FIRST, sizeof *labels->slot);
    return labels->slot ? 0 : -ENOMEM;
}

void goal_labels_destroy(struct goal_labels *labels)
{
    free(labels->slot);
    free(labels->names);
    *labels = (struct goal_labels){0};
}

void goal_labels_clear(struct goal_labels *labels)
{
    labels->round++;
    labels->count = 0;
    labels->names_bytes = 0;
}

/* FNV-1a, with its high bits folded into those that count. */
static uint32_t hash_of(const char *name, size_t bytes)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* Where the name is, or where it would go. */
static struct goal_label *place_of(const struct goal_labels *labels, const char *name, size_t bytes, uint32_t hash)
{
    for (uint32_t at = hash & labels->mask;; at = (at + 1) & labels->mask) {
        struct goal_label *slot = &labels->slot[at];
        if (slot->round != labels->round)
            return slot;
        if (slot->hash == hash && slot->bytes == bytes && memcmp(labels->names + slot->name, name, bytes) == 0)
            return slot;
    }
}

static int grow(struct goal_labels *labels)
{
    struct goal_labels larger = *labels;
    larger.mask = 2 * labels->mask + 1;
    larger.round = 1;
    larger.slot = calloc((size_t)larger.mask + 1, sizeof *larger.slot);
    if (!larger.slot)
        return -ENOMEM;
    for (uint32_t i = 0; i <= labels->mask; i++) {
        struct goal_label label = labels->slot[i];
        if (label.round != labels->round)
            continue;
        label.round = larger.round;
        *place_of(&larger, labels->names + label.name, label.bytes, label.hash) = label;
    }
    free(labels->slot);
    *labels = larger;
    return 0;
}

static int copy_name(struct goal_labels *labels, const char *name, size_t bytes, size_t *at)
{
    if (labels->names_room - labels->names_bytes < bytes) {
        size_t room = 2 * labels->names_room + bytes + 256;
        char *larger = realloc(labels->names, room);
        if (!larger)
            return -ENOMEM;
        labels->names = larger;
        labels->names_room = room;
    }
    memcpy(labels->names + labels->names_bytes, name, bytes);
    *at = labels->names_bytes;
    labels->names_bytes += bytes;
    return 0;
}

int goal_labels_add(struct goal_labels *labels, const char *name, size_t bytes, uint32_t task)
{
    if (labels->count > labels->mask / 2 && grow(labels))
        return -ENOMEM;
    uint32_t hash = hash_of(name, bytes);
    struct goal_label *slot = place_of(labels, name, bytes, hash);
    if (slot->round == labels->round)
        return -EEXIST;
    size_t at;
    if (copy_name(labels, name, bytes, &at))
        return -ENOMEM;
    *slot = (struct goal_label){at, (uint32_t)bytes, hash, task, labels->round};
    labels->count++;
    return 0;
}

int goal_labels_find(const struct goal_labels *labels, const char *name, size_t bytes, uint32_t *task)
{
    const struct goal_label *slot = place_of(labels, name, bytes, hash_of(name, bytes));
    if (slot->round != labels->round)
        return -ENOENT;
    *task = slot->task;
    return 0;
}
