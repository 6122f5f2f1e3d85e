/* A network by whatever names it: loggp or switch with parameters (network_parse), a preset, NAME:LAYER, or a file. */
#ifndef SHMCOLL_MODEL_FORMATS_NETWORK_LOAD_H
#define SHMCOLL_MODEL_FORMATS_NETWORK_LOAD_H

#include "model/network.h"

#include <stddef.h>

/* 0 or -errno with one line in `reason`. */
int network_load(const char *spec, struct network *out, char *reason, size_t reason_bytes);

#endif
