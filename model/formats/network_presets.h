/* Described networks by name, every number with its source; those reasoned out begin with "assumed:". */
#ifndef SHMCOLL_MODEL_FORMATS_NETWORK_PRESETS_H
#define SHMCOLL_MODEL_FORMATS_NETWORK_PRESETS_H

#include "model/network.h"

/* Ends with an empty name. */
extern const struct network network_presets[];

#endif
