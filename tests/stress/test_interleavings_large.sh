#!/bin/sh
# The larger cases of the interleaving explorer: four ranks, up to four sets, every start of the counters; longer traffic under credits.
set -eu
test=build/release/tests/interleavings/test_interleavings
make --no-print-directory -s V=release $test ${test}_peers ${test}_rings ${test}_credits ${test}_allgather
$test stress
${test}_peers stress
${test}_allgather stress
${test}_rings stress
${test}_credits stress
