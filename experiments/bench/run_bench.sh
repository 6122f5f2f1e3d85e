#!/bin/sh
# What `make bench` does: run_bench.sh BUILD OUT [--quick]. Every protocol, our default (`best`), Open MPI (as installed, and with
# its shared-memory component) and MPICH by one definition of time. Ours and the MPI run by turns in the same processes
# (mpi_compare), so every ratio is taken within a launch; launches are interleaved in rounds, the spread is over rounds.
# Allgather and messages between two ranks follow by the same definition (run_allgather.sh, run_combined.sh, run_p2p.sh); then how fast
# is simulated, beside other simulators (run_simulators.sh). With
# --quick under three minutes, else under thirty. Rows go to OUT/bench.jsonl, ratios to OUT/bench.csv, the tables to standard output and
# OUT/bench.txt, the picture to OUT/bench.{pdf,svg,png}. Only what is installed is measured.
# BENCH_PREFIX: words before every launch, such as a lock held while it lasts.
set -u
build=$1 out=$2 quick=${3:-}
here=experiments/bench bench=$build/experiments/bench rows=$out/bench.jsonl
sizes=8,64,512,4096,32768,262144,2097152 large=16777216,67108864 shared=32768,262144,2097152,16777216
crowded_large=16777216,67108864 limit_s=0.5 rounds=5 crowded_rounds=3
if [ "$quick" = --quick ]; then
    sizes=8,4096,65536,1048576 large=16777216 shared=1048576 crowded_large=4194304 limit_s=0.1 rounds=2 crowded_rounds=1
fi
mkdir -p "$out" && : >"$rows" || exit 1
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.err"' EXIT

have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command that prints rows and keeps them with the round.
launch() { # ROUND NAME COMMAND...
    round=$1 name=$2
    shift 2
    # shellcheck disable=SC2086
    ${BENCH_PREFIX:-} timeout -k 5 120 "$@" >"$log" 2>"$log.err" ||
        echo "bench: $name: $(grep -m 1 '^mpi_compare' "$log.err" || tail -n 1 "$log.err")" >&2
    sed -n "s/^{/{\"round\":$round,/p" "$log" >>"$rows"
}

# More ranks than cpus: unbound, and yielding while they wait. The fastest mode found for each.
openmpi() { # PROCS
    if [ "$1" -le "$cpus" ]; then
        echo --bind-to core
    else
        echo --oversubscribe --bind-to none --mca mpi_yield_when_idle 1
    fi
    [ "$(id -u)" -eq 0 ] && echo --allow-run-as-root
}

mpich() { # PROCS
    if [ "$1" -le "$cpus" ]; then echo -bind-to core; else echo -genv MPIR_CVAR_POLLS_BEFORE_YIELD 1; fi
}

# shellcheck disable=SC2046
mpi() { # ROUND PROCS NAME OPTIONS...
    round_=$1 procs_=$2 name_=$3
    shift 3
    case $name_ in
    openmpi) launch "$round_" "$name_" mpiexec.openmpi -n "$procs_" $(openmpi "$procs_") \
        "$bench/mpi_compare.openmpi" --name openmpi --node "$node" "$@" ;;
    openmpi-sm) launch "$round_" "$name_" mpiexec.openmpi -n "$procs_" $(openmpi "$procs_") --mca coll_sm_priority 100 \
        "$bench/mpi_compare.openmpi" --name openmpi-sm --node "$node" "$@" ;;
    mpich) launch "$round_" "$name_" mpiexec.mpich -n "$procs_" $(mpich "$procs_") \
        "$bench/mpi_compare.mpich" --name mpich --node "$node" "$@" ;;
    esac
}

# Open MPI says which component it takes for a communicator; without this a typing error would go unnoticed.
# shellcheck disable=SC2046
sm_active() {
    timeout 60 mpiexec.openmpi -n 2 $(openmpi 2) --mca coll_sm_priority 100 --mca coll_base_verbose 20 \
        "$bench/mpi_compare.openmpi" --contender mpi --time-limit 0.01 >"$log" 2>&1
    grep -q 'selecting *sm, priority 100, Enabled' "$log"
}

cpus=$(nproc) all=
have mpiexec.openmpi && [ -x "$bench/mpi_compare.openmpi" ] && all=openmpi
if [ -n "$all" ]; then
    if sm_active; then all="$all openmpi-sm"; else echo "bench: Open MPI does not take coll/sm here, left out" >&2; fi
fi
have mpiexec.mpich && [ -x "$bench/mpi_compare.mpich" ] && all="$all mpich"
[ -n "$all" ] || { echo "bench: neither Open MPI nor MPICH is here: ./deps.sh bench" >&2; exit 77; }

describe() {
    echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $cpus cpus, Linux $(uname -r)"
    echo "$(${CC:-gcc} --version | head -n 1), commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
    case $all in *openmpi*) mpiexec.openmpi --version | head -n 1 ;; esac
    case $all in *mpich*) echo "MPICH $(mpiexec.mpich --version | sed -n 's/^ *Version: *//p')" ;; esac
}

# What best goes by is measured first, as a user would.
node=$out/bench_node.yaml
"$build/shmcoll" calibrate -q -o "$node" || node=host
[ "$cpus" -ge 2 ] || echo "bench: one cpu: ranks share it, the figures say little" >&2
for round in $(seq $rounds); do
    for name in $all; do
        mpi "$round" 2 "$name" --contender all --size $sizes --time-limit $limit_s
        mpi "$round" 2 "$name" --contender all --size $large --time-limit $limit_s
        [ "$name" = openmpi-sm ] || mpi "$round" 2 "$name" --buffer-memory shared --contender mpi --contender best \
            --contender shared_source --contender cooperative --contender single_copy --size $shared --time-limit $limit_s
    done
    [ "$round" -gt $crowded_rounds ] && continue
    for name in $all; do
        mpi "$round" 4 "$name" --contender all --size $sizes,$crowded_large --time-limit $limit_s
        mpi "$round" 8 "$name" --contender all --size $sizes --time-limit $limit_s
        # Only the fastest of them is worth waiting for.
        [ "$name" = openmpi ] && mpi "$round" 8 "$name" --contender all --size $crowded_large --time-limit $limit_s
    done
done
{
    describe
    awk -v csv="$out/bench.csv" -f $here/rows.awk -f $here/bench_table.awk "$rows"
} | tee "$out/bench.txt"
$here/run_allgather.sh "$build" "$out" "$node" "$quick" | tee -a "$out/bench.txt"
$here/run_combined.sh "$build" "$out" "$quick" | tee -a "$out/bench.txt"
[ "$cpus" -lt 2 ] || $here/run_p2p.sh "$build" "$out" "$quick" | tee -a "$out/bench.txt"
[ -n "$quick" ] || case $all in openmpi*) $here/run_ideas.sh "$build" "$out" | tee -a "$out/bench.txt" ;; esac
[ "$cpus" -lt 2 ] || experiments/bench/run_regret.sh "$build" "$quick" | tee -a "$out/bench.txt"
# shellcheck disable=SC2086
${BENCH_PREFIX:-} "$bench/cluster_rate" ${quick:+--quick} | tee -a "$out/bench.txt"
$here/run_simulators.sh "$build" "$out" "$quick" | tee -a "$out/bench.txt"
[ -z "$quick" ] && "$bench/step_cost" | tee -a "$out/bench.txt"
{
    # shellcheck disable=SC2086
    ${BENCH_PREFIX:-} "$bench/partition_time" ${quick:+--repetitions 2 65536 8192}
    # shellcheck disable=SC2086
    ${BENCH_PREFIX:-} "$bench/partition_table" ${quick:+192 5 3072 100}
    [ -n "$quick" ] || ${BENCH_PREFIX:-} "$build/shmcoll" figure applications -o "$out" 2>&1 >/dev/null | sed 's/^shmcoll: //'
} | tee -a "$out/bench.txt"
if have gnuplot; then
    plots=$(cd plots && pwd)
    for format in pdf svg png; do
        (cd "$out" && gnuplot -e "FORMAT='$format'" -e "set loadpath '$plots'" "$plots/bench.gp") || echo "bench: no picture" >&2
    done
fi
exit 0
