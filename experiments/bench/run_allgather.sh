#!/bin/sh
# Allgather: run_allgather.sh BUILD OUT NODE [--quick]. Ours through queues (`best`: the lanes that best takes; `queue`: with direct's
# own numbers), by other ranks' memory, and MPI_Allgather of Open MPI and MPICH, by turns in the same
# processes and by one definition of time (mpi_compare). The size is that of a block. Rows go to OUT/allgather.jsonl, ratios to
# OUT/allgather.csv, the tables to standard output.
# BENCH_PREFIX: words before every launch, such as a lock held while it lasts.
set -u
build=$1 out=$2 node=$3 quick=${4:-}
bench=$build/experiments/bench rows=$out/allgather.jsonl
sizes=8,64,512,4096,32768,262144,1048576,4194304 crowded=8,512,32768,1048576 shared=32768,262144,2097152 rounds=3 limit_s=0.3
[ "$quick" = --quick ] && sizes=8,4096,65536,1048576 crowded=4096 shared=262144 rounds=1 limit_s=0.1
mkdir -p "$out" && : >"$rows" || exit 1
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.err"' EXIT
cpus=$(nproc)

have() { command -v "mpiexec.$1" >/dev/null 2>&1 && [ -x "$bench/mpi_compare.$1" ]; }

# More ranks than cpus: unbound, and yielding while they wait, as in run_bench.sh.
options() { # MPI PROCS
    case $1 in
    openmpi) if [ "$2" -le "$cpus" ]; then echo --bind-to core; else
                 echo --oversubscribe --bind-to none --mca mpi_yield_when_idle 1
             fi
             [ "$(id -u)" -eq 0 ] && echo --allow-run-as-root ;;
    mpich) if [ "$2" -le "$cpus" ]; then echo -bind-to core; else echo -genv MPIR_CVAR_POLLS_BEFORE_YIELD 1; fi ;;
    esac
}

launch() { # ROUND MPI PROCS OPTIONS...
    round=$1 mpi=$2 procs=$3
    shift 3
    # shellcheck disable=SC2046,SC2086
    ${BENCH_PREFIX:-} timeout -k 5 120 "mpiexec.$mpi" -n "$procs" $(options "$mpi" "$procs") "$bench/mpi_compare.$mpi" --name "$mpi" \
        --node "$node" --collective allgather --time-limit $limit_s --contender mpi --contender best "$@" >"$log" 2>"$log.err" ||
        echo "bench: $mpi: $(grep -m 1 '^mpi_compare' "$log.err" || tail -n 1 "$log.err")" >&2
    sed -n "s/^{/{\"round\":$round,/p" "$log" >>"$rows"
}

queue=queue:protocol=counted:fragment=32768:slots=16:sets=4
for round in $(seq $rounds); do
    for mpi in openmpi mpich; do
        have $mpi || continue
        launch "$round" $mpi 2 --contender $queue --contender kernel:protocol=single_copy:least=4096 --size $sizes
        launch "$round" $mpi 2 --contender $queue --contender shared_source --buffer-memory shared --size $shared
        launch "$round" $mpi 4 --contender $queue --size $crowded
        launch "$round" $mpi 8 --contender $queue --size $crowded
    done
done
[ -s "$rows" ] || exit 77
awk -v csv="$out/allgather.csv" -v title=Allgather -f experiments/bench/rows.awk -f experiments/bench/bench_table.awk "$rows"
