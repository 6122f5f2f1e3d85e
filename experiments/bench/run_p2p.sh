#!/bin/sh
# Messages between two ranks: run_p2p.sh BUILD OUT [--quick]. Every channel, Open MPI and MPICH by turns in the same processes,
# by one definition of time (mpi_p2p.c), and what a single copy by the kernel takes at least. Ratios of medians within a launch;
# printed is the median over launches (least-most); above 1 is slower than what it is held against. Rows go to OUT/p2p.jsonl,
# ratios to OUT/p2p_ratios.csv, times to OUT/p2p.csv, the tables to OUT/p2p.txt too, the picture to OUT/p2p.{pdf,svg,png}.
# BENCH_PREFIX: words before every launch, such as a lock held while it lasts.
set -u
bench=$1/experiments/bench out=$2 quick=${3:-} rows=$2/p2p.jsonl
sizes=8,64,256,1024,4096,8192,16384,32768,65536,262144,1048576,4194304,16777216 rounds=5 limit_s=0.2
[ "$quick" = --quick ] && sizes=8,1024,8192,65536,1048576 rounds=2 limit_s=0.1
mkdir -p "$out" && : >"$rows" || exit 1
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.err"' EXIT

have() { command -v "mpiexec.$1" >/dev/null 2>&1 && [ -x "$bench/mpi_p2p.$1" ]; }

launch() { # ROUND NAME MPIEXEC...
    round=$1 name=$2
    shift 2
    # shellcheck disable=SC2086
    ${BENCH_PREFIX:-} timeout -k 5 120 "$@" -n 2 "$bench/mpi_p2p.$name" --name "$name" --way all --size "$sizes" \
        --time-limit "$limit_s" >"$log" 2>"$log.err" ||
        echo "bench: $name: $(grep -m 1 '^mpi_p2p' "$log.err" || tail -n 1 "$log.err")" >&2
    sed -n "s/^{/{\"round\":$round,/p" "$log" >>"$rows"
}

root=
[ "$(id -u)" -eq 0 ] && root=--allow-run-as-root
have openmpi || have mpich || { echo "bench: neither Open MPI nor MPICH is here: ./deps.sh bench" >&2; exit 77; }
for round in $(seq $rounds); do
    # shellcheck disable=SC2086
    have openmpi && launch "$round" openmpi mpiexec.openmpi $root --bind-to core
    have mpich && launch "$round" mpich mpiexec.mpich -bind-to core
done
[ -s "$rows" ] || exit 1
awk -v csv="$out/p2p_ratios.csv" -v times="$out/p2p.csv" -f experiments/bench/rows.awk -f experiments/bench/p2p_table.awk "$rows" | tee "$out/p2p.txt"
command -v gnuplot >/dev/null 2>&1 || exit 0
plots=$(cd plots && pwd)
for format in pdf svg png; do
    (cd "$out" && gnuplot -e "FORMAT='$format'" -e "set loadpath '$plots'" "$plots/p2p.gp") || echo "bench: no picture" >&2
done
