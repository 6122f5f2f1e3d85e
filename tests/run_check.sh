#!/bin/sh
# What `make check` does: run_check.sh MAKE JOBS. Every part runs even if an earlier one failed.
# All is built, then all is run, as many tests at a time as there are cpus.
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
directories() { for d in tests/*/; do d=$(basename "$d"); case $d in stress | faults) ;; *) echo "$d" ;; esac; done; }
scripts() { for s in tests/*/test_*.sh; do case $s in tests/stress/*) ;; *) [ -e "$s" ] && echo "$s" ;; esac; done; }

# What takes seconds. It goes first, lest one of them run alone at the end.
long='/(test_(allgather_schedule|bcast_pairs|allgather_pairs|channels_traffic|run|bcast_peers|command|numa_guest|signals|kill_matrix|schedule'
long="$long"'|partitioners|map_trial|sim_cluster|scribble|crowded|allgather|forbidden|interleavings|mapping|pages|channels_kill|best))(\.sh)?$'
# Those that judge what ranks do that are stopped, held up or killed: one after the other, the others beside them.
hasty='/test_(kill|channels_kill|crowded|scribble|stall|wait|copy_watch|embedding|lanes|signals)(\.sh)?$'

asan='model formats sim partition experiments cli'
# shellcheck disable=SC2046
hasty() { echo tests/run_tests.sh release "$totals" $({ scripts; binaries release kernels; } | grep -E "$hasty"); }
# shellcheck disable=SC2046,SC2086
others() {
    of="SHMCOLL_TEST_BRIEF=1 tests/run_tests.sh asan $totals"
    binaries asan kernels $asan | sed "s|^|$of |"
    echo "SHMCOLL=build/asan/shmcoll $of tests/cli/test_command.sh"
    # ThreadSanitizer is blind across processes.
    binaries tsan kernels | sed "s|^|SHMCOLL_TEST_BACKENDS=threads SHMCOLL_TEST_BRIEF=1 tests/run_tests.sh tsan $totals |"
    { scripts; binaries release $(directories); } | grep -vE "$hasty" | sed "s|^|tests/run_tests.sh release $totals |"
    binaries fault faults | sed "s|^|tests/run_tests.sh fault $totals |"
}

./deps.sh guest || echo "check: without these packages the NUMA guest is skipped"
build release all tests bench-programs guest-programs
build fault fault-programs
build tsan tests-kernels
# shellcheck disable=SC2046
build asan all replay-programs $(for d in kernels $asan; do echo tests-"$d"; done)
run layers tests/run_layers.sh
others >build/check.queue
{
    hasty
    grep -E "$long" build/check.queue
    grep -vE "$long" build/check.queue
} | run_queue

summarize
