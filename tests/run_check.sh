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
# What a shell runs beside itself ignores SIGINT, and tests that send it would find nobody.
run() { label=$1; shift; [ $# -eq 0 ] || env --default-signal=INT tests/run_tests.sh "$label" $totals "$@"; }
trap 'trap - TERM; kill -TERM 0; exit 130' INT TERM
binaries() { # VARIANT DIRECTORIES...
    variant=$1
    shift
    for directory; do
        for source in tests/"$directory"/test_*.c; do
            [ -e "$source" ] && echo "build/$variant/${source%.c}"
        done
    done
}
directories() { for d in tests/*/; do d=$(basename "$d"); case $d in stress | faults | kernels) ;; *) echo "$d" ;; esac; done; }
scripts() { for s in tests/*/test_*.sh; do case $s in tests/stress/*) ;; *) [ -e "$s" ] && echo "$s" ;; esac; done; }

# Beside tests for which no deadline is short the other variants are built, and those of one thread run. Ranks that are killed or
# held up within a time have the machine to themselves; with sanitizers there is all the time they take.
asan='model formats sim experiments cli'
# shellcheck disable=SC2046,SC2086
beside() {
    build fault fault-programs
    build tsan tests-kernels
    build asan all $(for d in kernels $asan; do echo tests-"$d"; done)
    run asan $(binaries asan $asan)
    SHMCOLL=build/asan/shmcoll
    export SHMCOLL
    run asan tests/cli/test_command.sh
}
# ThreadSanitizer is blind across processes.
# shellcheck disable=SC2046
threads() {
    SHMCOLL_TEST_BACKENDS=threads
    export SHMCOLL_TEST_BACKENDS
    run tsan $(binaries tsan kernels)
}

./deps.sh guest || echo "check: without these packages the NUMA guest is skipped"
build release all tests bench-programs guest-programs
beside >build/check.beside 2>&1 &
run layers tests/run_layers.sh
# shellcheck disable=SC2046
{
    run release $(binaries release $(directories)) $(scripts | grep -v signals)
    wait
    cat build/check.beside
    run release $(binaries release kernels) $(scripts | grep signals)
    run fault $(binaries fault faults)
    SHMCOLL_TEST_BRIEF=1
    export SHMCOLL_TEST_BRIEF
    threads >build/check.threads 2>&1 &
    run asan $(binaries asan kernels)
    wait
    cat build/check.threads
}

awk '{ passed += $1; failed += $2; skipped += $3 }
     END { if (skipped) printf "%d skipped\n", skipped
           printf "%d passed, %d failed\n", passed, failed
           exit failed > 0 || passed == 0 }' $totals
