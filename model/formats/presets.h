/* Described nodes by name, every number with its source.
 *
 * The table is constant. Numbers measured on the very node are cited as such; those of a close
 * relative name it; those reasoned out begin with "assumed:"; what nobody measured is unknown.
 *
 * Copy rates count bytes copied. The cited tables count bytes read plus bytes written and leave out the
 * write-allocate read, so a copied byte is two of theirs and three of the memory bus.
 * B(n) is for copies whose two sides are both in memory. */
#ifndef SHMCOLL_MODEL_FORMATS_PRESETS_H
#define SHMCOLL_MODEL_FORMATS_PRESETS_H

#include "model/node.h"

#include <stddef.h>

size_t preset_count(void);
/* i < preset_count(). */
const char *preset_name(size_t i);
const char *preset_description(size_t i);

/* Fills `out`, to be given to node_destroy. 0; -ENOENT if there is no such preset; -ENOMEM. */
int preset_create(const char *name, struct node *out);

#endif
