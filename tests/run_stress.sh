#!/bin/sh
# What `make stress` does: run_stress.sh MAKE JOBS. Every part runs even if an earlier one failed.
set -u
make=$1 jobs=$2
name=stress
. tests/parts.sh
SHMCOLL_TEST_LIMIT_S=3600
export SHMCOLL_TEST_LIMIT_S

full() { # VARIANT TESTS...: all of what check does a share of
    variant=$1
    shift
    for test; do
        set -- "$@" "build/$variant/tests/$test"
        shift
    done
    SHMCOLL_TEST_FULL=1
    export SHMCOLL_TEST_FULL
    run "stress $variant" "$@"
    unset SHMCOLL_TEST_FULL
}
signals() {
    SHMCOLL_TEST_FULL=1
    export SHMCOLL_TEST_FULL
    run stress tests/cli/test_signals.sh
    unset SHMCOLL_TEST_FULL
}
# Ranks that are killed, stopped or scribbled over within a time have the machine to themselves.
hasty() { case $1 in *kill* | *crowded* | *scribble*) return 0 ;; *) return 1 ;; esac; }
programs= scripts= alone=
for source in tests/stress/test_*.c; do
    program=build/release/${source%.c}
    if hasty "$source"; then alone="$alone $program"; else programs="$programs $program"; fi
done
for script in tests/stress/test_*.sh tests/fuzz/run_fuzz.sh tests/numa_guest/run_guest.sh; do
    if hasty "$script"; then alone="$alone $script"; else scripts="$scripts $script"; fi
done

./deps.sh guest || echo "stress: without these packages the NUMA guests are skipped"
# Everything by the other compiler, which warns of other things.
if command -v clang >/dev/null; then
    build release CC=clang BUILD=build/clang all tests stress-programs bench-programs guest-programs
fi
build fault fault-programs
build asan tests-kernels
build tsan tests-kernels
# ThreadSanitizer is blind across processes: threads take their place.
sanitized='kernels/test_bcast_pairs kernels/test_allgather_pairs kernels/test_channels_traffic'
# shellcheck disable=SC2086
threads() {
    SHMCOLL_TEST_BACKENDS=threads
    export SHMCOLL_TEST_BACKENDS
    full tsan $sanitized
}
# shellcheck disable=SC2086
beside() {
    run stress $scripts
    full asan $sanitized
    threads
}
# shellcheck disable=SC2086
if build release all stress-programs tests guest-programs; then
    beside >build/stress.beside 2>&1 &
    run stress $programs
    full release kernels/test_allgather_schedule partition/test_partitioners partition/test_optima \
        partition/test_large_parts partition/test_mapping_j partition/test_random_graphs
    wait
    cat build/stress.beside
    run stress $alone
    signals
    full fault faults/test_kill_matrix
fi

summarize
