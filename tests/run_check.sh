#!/bin/sh
# What `make check` does: run_check.sh MAKE JOBS. Every part runs even if an earlier one failed.
set -u
make=$1 jobs=$2
name=check
. tests/parts.sh

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

summarize
