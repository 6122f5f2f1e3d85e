#!/bin/sh
# What `make check` does: run_check.sh MAKE JOBS. Every part runs even if an earlier one failed.
set -u
make=$1 jobs=$2
totals=build/check.totals
rm -f $totals

build() { # VARIANT TARGETS...
    variant=$1
    shift
    $make --no-print-directory -s -j"$jobs" V="$variant" "$@" && return 0
    echo "0 1 0" >>$totals
    echo "check: building $* with V=$variant failed"
    return 1
}
run() { label=$1; shift; [ $# -eq 0 ] || tests/run_tests.sh "$label" $totals "$@"; }
binaries() { # VARIANT DIRECTORIES...
    variant=$1
    shift
    for directory; do
        for source in tests/"$directory"/test_*.c; do
            [ -e "$source" ] && echo "build/$variant/${source%.c}"
        done
    done
}
directories() { for d in tests/*/; do d=$(basename "$d"); case $d in stress | faults) ;; *) echo "$d" ;; esac; done; }
scripts() { for s in tests/*/test_*.sh; do case $s in tests/stress/*) ;; *) [ -e "$s" ] && echo "$s" ;; esac; done; }

./deps.sh guest || echo "check: without these packages the NUMA guest is skipped"
build release all tests bench-programs guest-programs && {
    # shellcheck disable=SC2046
    run release $(binaries release $(directories)) $(scripts)
}
# shellcheck disable=SC2046
build fault fault-programs && run fault $(binaries fault faults)
run layers tests/run_layers.sh
# shellcheck disable=SC2046
build asan all tests && {
    # shellcheck disable=SC2046
    run asan $(binaries asan model formats sim kernels experiments cli)
    SHMCOLL=build/asan/shmcoll run asan tests/cli/test_command.sh
}
# ThreadSanitizer is blind across processes.
SHMCOLL_TEST_BACKENDS=threads
export SHMCOLL_TEST_BACKENDS
# shellcheck disable=SC2046
build tsan tests && run tsan $(binaries tsan kernels)

awk '{ passed += $1; failed += $2; skipped += $3 }
     END { if (skipped) printf "%d skipped\n", skipped
           printf "%d passed, %d failed\n", passed, failed
           exit failed > 0 || passed == 0 }' $totals
