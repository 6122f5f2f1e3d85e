#!/bin/sh
# What `make stress` does: run_stress.sh MAKE JOBS. Every part runs even if an earlier one failed.
set -u
make=$1 jobs=$2
totals=build/stress.totals
mkdir -p build
rm -f $totals
SHMCOLL_TEST_LIMIT_S=1500 SHMCOLL_GUEST_LIMIT_S=480
export SHMCOLL_TEST_LIMIT_S SHMCOLL_GUEST_LIMIT_S

set --
for source in tests/stress/test_*.c; do
    [ -e "$source" ] && set -- "$@" "build/release/${source%.c}"
done
for script in tests/stress/test_*.sh tests/fuzz/run_fuzz.sh tests/numa_guest/run_guest.sh; do
    [ -e "$script" ] && set -- "$@" "$script"
done
./deps.sh guest || echo "stress: without these packages the NUMA guests are skipped"
if $make --no-print-directory -s -j"$jobs" V=release all stress-programs tests guest-programs; then
    [ $# -eq 0 ] || tests/run_tests.sh stress $totals "$@"
    SHMCOLL_TEST_FULL=1 tests/run_tests.sh stress $totals build/release/tests/kernels/test_allgather_schedule
else
    echo "stress: building failed"
    echo "0 1 0" >>$totals
fi

if $make --no-print-directory -s -j"$jobs" V=fault fault-programs; then
    SHMCOLL_TEST_FULL=1 tests/run_tests.sh stress $totals build/fault/tests/faults/test_kill_matrix
else
    echo "stress: building with V=fault failed"
    echo "0 1 0" >>$totals
fi

touch $totals
awk '{ passed += $1; failed += $2; skipped += $3 }
     END { if (skipped) printf "%d skipped\n", skipped
           printf "%d passed, %d failed\n", passed, failed
           exit failed > 0 || passed == 0 }' $totals
