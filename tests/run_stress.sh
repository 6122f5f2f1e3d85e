#!/bin/sh
# What `make stress` does: run_stress.sh MAKE JOBS. Every part runs even if an earlier one failed.
set -u
make=$1 jobs=$2
totals=build/stress.totals
mkdir -p build
rm -f $totals
SHMCOLL_TEST_LIMIT_S=1500 SHMCOLL_GUEST_LIMIT_S=480
export SHMCOLL_TEST_LIMIT_S SHMCOLL_GUEST_LIMIT_S

build() { # VARIANT TARGETS...
    variant=$1
    shift
    $make --no-print-directory -s -j"$jobs" V="$variant" "$@" && return 0
    echo "0 1 0" >>$totals
    echo "stress: building with V=$variant failed"
    return 1
}
full() { # VARIANT TESTS...
    variant=$1
    shift
    for test; do
        set -- "$@" "build/$variant/tests/$test"
        shift
    done
    SHMCOLL_TEST_FULL=1 tests/run_tests.sh "stress $variant" $totals "$@"
}

set --
for source in tests/stress/test_*.c; do
    [ -e "$source" ] && set -- "$@" "build/release/${source%.c}"
done
for script in tests/stress/test_*.sh tests/fuzz/run_fuzz.sh tests/numa_guest/run_guest.sh; do
    [ -e "$script" ] && set -- "$@" "$script"
done
./deps.sh guest || echo "stress: without these packages the NUMA guests are skipped"
if build release all stress-programs tests guest-programs; then
    [ $# -eq 0 ] || tests/run_tests.sh stress $totals "$@"
    full release kernels/test_allgather_schedule
fi
if build fault fault-programs; then full fault faults/test_kill_matrix; fi
# What check does a share of; with ThreadSanitizer, which is blind across processes, threads take their place.
sanitized='kernels/test_bcast_pairs kernels/test_allgather_pairs kernels/test_channels_traffic'
# shellcheck disable=SC2086
{
    if build asan tests-kernels; then full asan $sanitized; fi
    SHMCOLL_TEST_BACKENDS=threads
    export SHMCOLL_TEST_BACKENDS
    if build tsan tests-kernels; then full tsan $sanitized; fi
}

touch $totals
awk '{ passed += $1; failed += $2; skipped += $3 }
     END { if (skipped) printf "%d skipped\n", skipped
           printf "%d passed, %d failed\n", passed, failed
           exit failed > 0 || passed == 0 }' $totals
