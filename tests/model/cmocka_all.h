/* cmocka with everything it wants included first. */
#ifndef SHMCOLL_TESTS_MODEL_CMOCKA_ALL_H
#define SHMCOLL_TESTS_MODEL_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

/* Fails, showing both numbers, unless |got - want| <= tolerance; NAN never passes. */
#define assert_near(got, want, tolerance)                                                                                        \
    do {                                                                                                                         \
        double near_got = (got), near_want = (want);                                                                             \
        if (!(fabs(near_got - near_want) <= (tolerance)))                                                                        \
            fail_msg("%s: got %.9g, want %.9g", #got, near_got, near_want);                                                      \
    } while (0)

#endif
