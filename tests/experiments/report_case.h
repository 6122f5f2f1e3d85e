/* A paper's report, simulated once for all tests of a program. */
#ifndef SHMCOLL_TESTS_REPORT_CASE_H
#define SHMCOLL_TESTS_REPORT_CASE_H

#include "experiments/report.h"

/* Of the source that report_case_make() was last given. */
extern struct report report_case;

/* For a group's setup and teardown: 0 or an error. size_most_bytes: as of report_make(). */
int report_case_make(const struct report_source *source, uint64_t size_most_bytes);
int report_case_forget(void **state);

/* The one row of that name, as it is (NULL) or if what holds has `if_so` in its words. Fails the test if there is none, or
 * more. */
const struct report_result *report_case_result(const char *id, const char *if_so);

#endif
