#!/bin/sh
# What combined's few rings cost an allgather: run_combined.sh BUILD OUT [--quick]. Scheduled allgathers over `er`, a ring for every pair,
# and over `combined`, by turns in one MPI program whose own allgather stays out of it; cold buffers, the size is that of a block.
# Ratios of medians within a launch; printed is the median over launches (least-most), above 1: combined is slower.
# Rows go to OUT/combined.jsonl, ratios to OUT/combined.csv.
# BENCH_PREFIX: words before every launch, such as a lock held while it lasts.
set -u
bench=$1/experiments/bench out=$2 quick=${3:-} rounds=5 limit_s=0.25 sizes=8,512,4096,32768,262144
[ "$quick" = --quick ] && rounds=1 limit_s=0.1
rows=$out/combined.jsonl
mkdir -p "$out" && : >"$rows" || exit 1
mpi=openmpi
command -v mpiexec.openmpi >/dev/null 2>&1 && [ -x "$bench/mpi_compare.openmpi" ] || mpi=mpich
words=
for algorithm in ring recursive_doubling bruck; do
    for channel in er combined; do
        words="$words --contender $channel-$algorithm:channel=$channel:algorithm=$algorithm"
    done
done

# More ranks than cpus: unbound.
options() { # PROCS
    if [ "$1" -gt "$(nproc)" ]; then
        [ $mpi = openmpi ] && echo --oversubscribe --bind-to none --mca mpi_yield_when_idle 1
    elif [ $mpi = openmpi ]; then echo --bind-to core
    else echo -bind-to core
    fi
    [ $mpi = openmpi ] && [ "$(id -u)" -eq 0 ] && echo --allow-run-as-root
}

for round in $(seq $rounds); do
    for procs in 2 4 8; do
        # shellcheck disable=SC2046,SC2086
        ${BENCH_PREFIX:-} timeout -k 5 60 mpiexec.$mpi $(options $procs) -n $procs "$bench/mpi_compare.$mpi" --name $mpi \
            --collective allgather $words --size $sizes --time-limit $limit_s 2>/dev/null | sed -n "s/^{/{\"round\":$round,/p"
    done
done >>"$rows"
[ -s "$rows" ] || exit 77
awk -v csv="$out/combined.csv" -f experiments/bench/rows.awk -f experiments/bench/combined_table.awk "$rows"
