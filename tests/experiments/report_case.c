#include "tests/experiments/report_case.h"

#include "tests/model/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

struct report report_case;

int report_case_make(const struct report_source *source, uint64_t size_most_bytes)
{
    setenv("SHMCOLL_PLOTS", "plots", 0);
    return report_make(source, size_most_bytes, &report_case);
}

int report_case_forget(void **state)
{
    (void)state;
    report_destroy(&report_case);
    return 0;
}

const struct report_result *report_case_result(const char *id, const char *if_so)
{
    const struct report_result *found = NULL;
    for (size_t i = 0; i < report_case.count; i++) {
        const struct report_row *row = report_case.result[i].row;
        if (strcmp(row->id, id) || (if_so ? !row->if_so || !strstr(row->if_so, if_so) : row->if_so != NULL))
            continue;
        if (found)
            fail_msg("%s is reported twice", id);
        found = &report_case.result[i];
    }
    if (!found)
        fail_msg("%s is not reported", id);
    return found;
}
