/* What `topo` prints, and the rows of item, value, interval and source in which it does with --format csv or jsonl. */
#ifndef SHMCOLL_EXPERIMENTS_TOPO_H
#define SHMCOLL_EXPERIMENTS_TOPO_H

#include "experiments/options.h"
#include "model/network.h"

struct topo_rows {
    FILE *file;
    int json;
};

/* One row; an absent text or number (NULL, NAN) is an empty cell, or no key. */
void topo_row_emit(const struct topo_rows *rows, const char *item, const char *text, const struct quantity *q, const char *unit);

/* Networks there are by name. */
void topo_networks_list(FILE *file, enum format format);
/* As a file that can be edited and given to --network, or as rows. 0 or -ENOMEM. */
int topo_network_print(FILE *file, enum format format, const struct network *network);

#endif
