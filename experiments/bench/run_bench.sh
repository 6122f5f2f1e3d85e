#!/bin/sh
# What `make bench` does: run_bench.sh BUILD OUT [--quick]. The broadcast of two ranks beside Open MPI (as installed, and
# with its shared-memory component) and MPICH, by the same definition of time, in interleaved rounds: every ratio is
# taken within a round. With --quick under three minutes, else under thirty; every point is capped.
# Rows go to OUT/bench.jsonl, the table to standard output. Only what is installed is measured.
set -u
build=$1 out=$2 quick=${3:-}
bench=$build/experiments/bench rows=$out/bench.jsonl points=$out/bench.points
short_sizes=8,64 sizes=1024,8192,65536,262144,1048576,4194304,16777216,67108864 limit_s=0.6 rounds=9 crowded_rounds=3
[ "$quick" = --quick ] && short_sizes=8 sizes=1024,65536,1048576,16777216 limit_s=0.3 rounds=5 crowded_rounds=0
mkdir -p "$out" && : >"$rows" && : >"$points" || exit 1
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command that prints rows; keeps them, and of each round, ranks, name and the row itself for the table.
point() { # ROUND PROCS NAME COMMAND...
    round=$1 procs=$2 name=$3
    shift 3
    timeout -k 5 120 "$@" >"$log" 2>"$log.err" || echo "bench: $name, $procs ranks: $(tail -n 1 "$log.err")" >&2
    grep '^{' "$log" >>"$rows"
    sed -n "s/^{/$round $procs $name {/p" "$log" >>"$points"
    rm -f "$log.err"
}

run_ours() { # ROUND PROCS SIZES OPTIONS...
    round_=$1 procs_=$2 sizes_=$3
    shift 3
    point "$round_" "$procs_" shmcoll "$build/shmcoll" run bcast --procs "$procs_" --size "$sizes_" --buffers cold \
        --time-limit ${limit_s}s --warmup 12 --format jsonl "$@"
}

ours() { # ROUND PROCS SHORT_SIZES SIZES
    run_ours "$1" "$2" "$3" --protocol eager
    run_ours "$1" "$2" "$4"
}

openmpi() { # ROUND PROCS SHORT_SIZES SIZES NAME OPTIONS...
    round_=$1 procs_=$2 sizes_=$3,$4 name_=$5
    shift 5
    if [ "$procs_" -le "$cpus" ]; then
        set -- --bind-to core "$@"
    else
        set -- --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 "$@"
    fi
    [ "$(id -u)" -eq 0 ] && set -- --allow-run-as-root "$@"
    point "$round_" "$procs_" "$name_" mpiexec.openmpi -n "$procs_" "$@" \
        "$bench/mpi_bcast.openmpi" --size "$sizes_" --time-limit $limit_s --protocol "$name_"
}

mpich() { # ROUND PROCS SHORT_SIZES SIZES
    binding="-bind-to core"
    [ "$2" -le "$cpus" ] || binding=
    # shellcheck disable=SC2086
    point "$1" "$2" mpich mpiexec.mpich $binding -n "$2" "$bench/mpi_bcast.mpich" --size "$3,$4" --time-limit $limit_s \
        --protocol mpich
}

# Open MPI says which component it takes for a communicator; without this a typing error would go unnoticed.
sm_active() {
    root=
    [ "$(id -u)" -eq 0 ] && root=--allow-run-as-root
    timeout 60 mpiexec.openmpi $root --oversubscribe --mca coll_sm_priority 100 --mca coll_base_verbose 20 -n 2 \
        "$bench/mpi_bcast.openmpi" --reps 1 >"$log" 2>&1
    grep -q 'selecting *sm, priority 100, Enabled' "$log"
}

round_of_all() { # ROUND PROCS SHORT_SIZES SIZES
    ours "$@"
    [ $have_openmpi -eq 1 ] && openmpi "$@" openmpi-default
    [ $have_sm -eq 1 ] && openmpi "$@" openmpi-sm --mca coll_sm_priority 100
    [ $have_mpich -eq 1 ] && mpich "$@"
}

cpus=$(nproc) have_openmpi=0 have_mpich=0 have_sm=0
have mpiexec.openmpi && [ -x "$bench/mpi_bcast.openmpi" ] && have_openmpi=1
have mpiexec.mpich && [ -x "$bench/mpi_bcast.mpich" ] && have_mpich=1
if [ $have_openmpi -eq 1 ]; then
    if sm_active; then have_sm=1; else echo "bench: Open MPI does not take coll/sm here, left out" >&2; fi
fi

echo "host $(uname -n), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $cpus cpus, Linux $(uname -r)"
echo "$(${CC:-gcc} --version | head -n 1), commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
[ $have_openmpi -eq 1 ] && mpiexec.openmpi --version | head -n 1
[ $have_mpich -eq 1 ] && echo "MPICH $(mpiexec.mpich --version | sed -n 's/^ *Version: *//p')"
[ "$cpus" -ge 2 ] || echo "bench: one cpu: ranks share it, the figures say little" >&2

[ -z "$quick" ] && "$bench/step_cost"
for round in $(seq $rounds); do round_of_all "$round" 2 "$short_sizes" "$sizes"; done
for round in $(seq $crowded_rounds); do round_of_all "$round" 4 8 65536,16777216; done
awk -f experiments/bench/bench_table.awk "$points"
[ "$cpus" -lt 2 ] || experiments/bench/run_regret.sh "$build" "$quick"
