/* The queue that the extended model predicts to be fastest. */
#ifndef SHMCOLL_EXPERIMENTS_QUEUE_SEARCH_H
#define SHMCOLL_EXPERIMENTS_QUEUE_SEARCH_H

#include "model/scenario.h"

/* Searches fragments of 1, 2, 3, 4, 6, 8 ... pages and slots of 1, 2, 4 ... times the sets, within buffer_bytes, and sets
 * scenario->params to the fastest; of equal ones the smallest. The scenario must have passed scenario_check.
 * 0; a negative errno, with params untouched, if the model cannot tell. */
int queue_search(struct scenario *scenario, uint64_t buffer_bytes);

#endif
