#!/bin/sh
# What each idea brought: run_ideas.sh BUILD OUT [--quick]. Pairs of contenders that differ in one thing, by turns in one MPI
# program whose own broadcast stays out of it; two ranks, cold private buffers. A ratio above 1: without the idea it takes longer.
# Ratios of medians within a launch; printed is the median over launches (least-most).
set -u
build=$1 out=$2 quick=${3:-} bench=$1/experiments/bench rounds=5 limit_s=0.6
[ "$quick" = --quick ] && rounds=2 limit_s=0.1
log=$out/ideas.jsonl
mkdir -p "$out" && : >"$log" || exit 1
root=
[ "$(id -u)" -eq 0 ] && root=--allow-run-as-root

# IDEA SIZES MEMORY WITH WITHOUT: the contenders' words without their labels.
pair() {
    for round in $(seq $rounds); do
        # shellcheck disable=SC2086
        ${BENCH_PREFIX:-} timeout -k 5 60 mpiexec.openmpi $root --bind-to core -n 2 "$bench/mpi_compare.openmpi" --name openmpi \
            --contender "with:$4" --contender "without:$5" --size "$2" --buffer-memory "$3" --time-limit $limit_s 2>/dev/null |
            sed -n "s/^{/{\"idea\":\"$1\",\"round\":$round,/p"
    done >>"$log"
}

pair "payload in the flag's line" 8,56,120 private protocol=eager protocol=counted:fragment=4096:slots=4:sets=1
pair "counters: no atomics, no resets" 512,4096,32768,262144,2097152 private \
    protocol=counted:fragment=8192:slots=64:sets=2 protocol=pipelined:fragment=8192:slots=64:sets=2
pair "short messages: few slots in one set" 512,4096 private protocol=counted:fragment=4096:slots=4:sets=1 \
    protocol=counted:fragment=4096:slots=64:sets=4
pair "fragments of 32 KiB, not 8" 262144,2097152,16777216 private protocol=counted:fragment=32768:slots=16:sets=4 \
    protocol=counted:fragment=8192:slots=64:sets=4
pair "copy-out past the caches" 2097152,16777216 private protocol=counted:fragment=32768:slots=16:sets=4:out=nontemporal \
    protocol=counted:fragment=32768:slots=16:sets=4:out=memcpy
pair "copy-out by what proves faster" 262144,2097152,16777216 private protocol=counted:fragment=32768:slots=16:sets=4 \
    protocol=counted:fragment=32768:slots=16:sets=4:out=memcpy
pair "waiting for a set, not for each slot" 8192,65536,2097152 private protocol=counted:fragment=8192:slots=16:sets=2 \
    protocol=counted:fragment=8192:slots=16:sets=16
pair "copy-in through the caches" 2097152,16777216 private protocol=counted:fragment=32768:slots=16:sets=4:in=memcpy \
    protocol=counted:fragment=32768:slots=16:sets=4:in=nontemporal
pair "huge pages in the segment" 32768,2097152,16777216 private protocol=counted:fragment=32768:slots=16:sets=4:huge=1 \
    protocol=counted:fragment=32768:slots=16:sets=4
pair "both sides copy" 65536,1048576,16777216 shared protocol=cooperative protocol=shared_source
pair "both sides copy, by the kernel" 65536,1048576 private protocol=cooperative protocol=single_copy
pair "single copy, buffers shared" 65536,1048576,16777216 shared protocol=shared_source \
    protocol=counted:fragment=32768:slots=16:sets=4

awk -v csv="$out/ideas.csv" -f experiments/bench/rows.awk -f experiments/bench/ideas_table.awk "$log" | tee "$out/ideas.txt"
