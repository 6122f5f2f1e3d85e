#!/bin/sh
# The same messages on several simulators: run_simulators.sh BUILD OUT [--quick]. Bruck allgathers of 8 bytes a rank, the fastest
# of three runs (--quick: one), each of one thread. `run` is the simulation itself, as every simulator tells it; of LogGOPSim, which
# tells whole seconds, its process. `read` is what comes before: of a GOAL text the parsing, of LogGOPSim its txt2bin. Ratios are
# of messages per second: shmcoll's, generated, over the other's. Rows go to OUT/simulators.csv.
# LOGGOPSIM: path of that program, txt2bin beside it; without it that part is left out. SimGrid: smpirun, likewise.
# BENCH_PREFIX: words before every run, such as a lock held while it lasts.
set -u
build=$1 quick=${3:-} runs=3 loggopsim=${LOGGOPSIM:-}
shmcoll=$(realpath "$build/shmcoll") measured=$(realpath "$build/experiments/bench/measured")
here=$(realpath experiments/bench)
mkdir -p "$2" && out=$(realpath "$2") || exit 1
[ "$quick" = --quick ] && runs=1
[ -z "$loggopsim" ] || loggopsim=$(realpath "$loggopsim") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
csv=$out/simulators.csv
echo "beside,simulator,procs,messages,run_s,read_s,process_s,peak_mib,time_s" >"$csv"

# SimGrid counts 16 bytes of an envelope and the first byte, which are in our L; its times are exact to 10 us only, hence the
# slow network.
same='loggp:L=25.17ms,o=0ns,g=0ns,G=10us,gr=0ns'
free='--cfg=network/model:CM02 --cfg=network/TCP-gamma:0 --cfg=network/crosstraffic:0'
# LogGOPSim's own parameters.
loggops=loggp:L=2500ns,o=1500ns,g=1000ns,G=6ns,gr=1000ns

failed() { echo "bench: $*: $(grep -v INFO log | tail -n 1 | head -c 200)" >&2; return 1; }
# best SIMULATOR PROCS COMMAND...: the fastest run of several; COMMAND leaves in `told` the run, the reading and the simulated time.
best() {
    simulator=$1 procs=$2
    shift 2
    : >all
    for _ in $(seq $runs); do
        if "$@" && [ "$(wc -w <told)" -eq 3 ]; then
            echo "$(cat told) $(cat cost)" >>all
        else
            failed "$simulator, $procs ranks"
            return 1
        fi
    done
    sort -g all | awk -v OFS=, -v first="$beside,$simulator,$procs,$messages" 'NR == 1 { print first, $1, $2, $4, $6, $3 }' >>"$csv"
}
# shellcheck disable=SC2086
costs() { ${BENCH_PREFIX:-} timeout -k 5 200 "$measured" cost "$@" >log 2>&1; }
field() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p" log; }
tell() { echo "$(field wall_s) $(field read_s || true) $(field time_s)" | awk 'NF == 2 { $0 = $1 " - " $2 } { print }' >told; }
generated() { costs "$shmcoll" sim allgather --algorithm bruck --procs "$1" --size 8 --network "$2" --format jsonl && tell; }
goal() { costs "$shmcoll" sim --goal work.goal --network "$1" --format jsonl && tell; }

# One link up and one down a host. In a round of this schedule each has one message, so that nobody waits for another.
platform() { # HOSTS BANDWIDTH LATENCY
    echo '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">'
    echo "<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-$(($1 - 1))\" speed=\"1Gf\""
    echo "sharing_policy=\"SPLITDUPLEX\" bw=\"$2\" lat=\"$3\"/>"
    echo '</platform>'
}
simgrid() { # PROCS OPTIONS...
    np=$1
    shift
    costs smpirun -replay trace -np "$np" -platform platform.xml -hostfile hosts --cfg=smpi/display-timing:yes "$@" || return 1
    run_s=$(sed -n 's/^The simulation took \([^ ]*\) seconds.*/\1/p' log)
    echo "$run_s - $(sed -n 's/.*Simulated time: \([^ ]*\) seconds.*/\1/p' log)" >told
}
loggopsim() {
    costs "$(dirname "$loggopsim")/txt2bin" -i work.goal -o work.bin || return 1
    read -r read_s rest <cost
    costs "$loggopsim" -f work.bin -b -S 2000000000 || return 1
    read -r run_s rest <cost
    echo "$run_s $read_s $(sed -n 's/^Maximum finishing.*(\(.*\) s).*/\1/p' log)" >told
}

# By LogGOPSim's own parameters.
beside_loggopsim() { # PROCS
    beside=LogGOPSim
    "$shmcoll" export allgather --algorithm bruck --procs "$1" --size 8 -o work.goal || return 1
    best shmcoll "$1" generated "$1" $loggops
    best shmcoll-goal "$1" goal $loggops
    [ -z "$loggopsim" ] || best LogGOPSim "$1" loggopsim
    rm -f work.goal work.bin
}
# Without contention, and by the model it has unless told otherwise.
# shellcheck disable=SC2086
beside_simgrid() { # PROCS
    beside=SimGrid
    "$shmcoll" export allgather --algorithm bruck --procs "$1" --size 8 --format ti-list -o trace || return 1
    seq 0 $(($1 - 1)) | sed 's/^/h/' >hosts
    best shmcoll "$1" generated "$1" $same
    platform "$1" 100kBps 12.5ms >platform.xml
    best CM02 "$1" simgrid "$1" $free
    platform "$1" 25GBps 500ns >platform.xml
    best default "$1" simgrid "$1"
    rm -f trace trace.* hosts platform.xml
}

messages_of() { echo $(($1 * $(awk -v p="$1" 'BEGIN { for (r = 0; 2 ^ r < p; r++); print r }'))); }
if command -v smpirun >/dev/null 2>&1; then
    for procs in 1024 $([ "$quick" = --quick ] || echo 4096); do
        messages=$(messages_of "$procs")
        beside_simgrid "$procs"
    done
else
    echo "bench: smpirun is not here, SimGrid is left out: ./deps.sh bench" >&2
fi
for procs in 1024 $([ "$quick" = --quick ] || echo 65536); do
    messages=$(messages_of "$procs")
    beside_loggopsim "$procs"
done
if [ "$quick" != --quick ]; then
    messages=$(messages_of 1048576)
    best shmcoll 1048576 generated 1048576 $loggops
fi
version=$(smpirun --version 2>/dev/null | sed -n 's/.*version *//p' | head -n 1)
awk -F , -v simgrid="$version" -v runs=$runs -f "$here/simulators_table.awk" "$csv"
