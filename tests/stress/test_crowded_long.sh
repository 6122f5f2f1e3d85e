#!/bin/sh
# Ranks held up, stopped and continued, for some minutes.
set -eu
test=build/release/tests/kernels/test_crowded
make --no-print-directory -s V=release $test
SHMCOLL_CROWDED_CALLS=150 $test
