#!/bin/sh
# Schedules out and GOAL programs in: shmcoll export and sim --goal; where SimGrid is installed, it plays the traces as we do.
set -u
cd "$(dirname "$0")/../.." || exit 1
shmcoll=$(realpath "${SHMCOLL:-build/release/shmcoll}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAILED: $*"; }

# refuses CODE PATTERN ARGUMENTS...: that exit code, nothing on standard output, one line on standard error that matches.
refuses() {
    code=$1 pattern=$2
    shift 2
    timeout 60 "$shmcoll" "$@" >out 2>err
    got=$?
    if [ $got -ne "$code" ] || [ "$(wc -l <err)" -ne 1 ] || [ -s out ] || ! grep -qE "^shmcoll: .*($pattern)" err; then
        fail "'$*' gave exit code $got (expected $code): $(head -c 300 err)"
    else
        pass
    fi
}

time_of() { sed -n 's/.*"time_s":\([^,}]*\).*/\1/p'; }

# equal WHAT A B: the same word, and not none.
equal() {
    if [ -n "$2" ] && [ "$2" = "$3" ]; then pass; else fail "$1: '$2' is not '$3'"; fi
}

# A schedule takes the same time as a collective and as a GOAL program.
same() { # COLLECTIVE ALGORITHM PROCS SIZE
    "$shmcoll" export "$1" --algorithm "$2" --procs "$3" --size "$4" -o same.goal || fail "export $*"
    goal=$("$shmcoll" sim --goal same.goal --network loggp:L=1us,o=300ns,g=700ns,G=571ps,gr=900ns --format jsonl | time_of)
    direct=$("$shmcoll" sim "$1" --algorithm "$2" --procs "$3" --size "$4" --network loggp:L=1us,o=300ns,g=700ns,G=571ps,gr=900ns \
        --format jsonl | time_of)
    equal "$*" "$goal" "$direct"
}
same allgather bruck 100 1K
same allgather ring 33 7
same allgather recursive_doubling 64 64K
same bcast binomial 50 1M
same bcast scatter_allgather 21 12345

equal "default is goal" "$("$shmcoll" export allgather --procs 2 --size 3 | head -n 5 | tr '\n' ' ')" \
    "num_ranks 2  rank 0 { r0: recv 3b from 1 tag 0 s0: send 3b to 1 tag 0 "
equal "ti" "$("$shmcoll" export allgather --procs 2 --size 3 --format ti | head -n 6 | tr '\n' ' ')" \
    "0 init 0 irecv 1 0 3 0 isend 1 0 3 0 waitall 0 finalize 1 init "
"$shmcoll" export allgather --procs 2 --size 3 -o /dev/null
[ -c /dev/null ] && pass || fail "a device was replaced"

"$shmcoll" sim --goal same.goal --network loggp --format jsonl >out
grep -q '"wall_s":[0-9.e-]*[1-9]' out && grep -q '"read_s":[0-9.e-]*[1-9]' out && pass || fail "what it took is not told: $(cat out)"

# Eight to one: what the last bytes waited for is contention, all of a rank's time adds up to its end.
{
    echo 'num_ranks 9'
    for i in 1 2 3 4 5 6 7 8; do printf 'rank %d {\nsend 1000b to 0\n}\n' $i; done
    echo 'rank 0 {'
    for i in 1 2 3 4 5 6 7 8; do echo "recv 1000b from $i"; done
    echo '}'
} >incast.goal
"$shmcoll" sim --goal incast.goal --network loggp:L=1us,o=100ns,g=50ns,G=1ns --per-rank ranks.csv --trace incast.json >out
equal "incast, rank 0" "$(sed -n 2p ranks.csv)" "0,8e-07,,0,2.099e-06,6.643e-06,9.542e-06"
equal "incast, rank 8" "$(sed -n 10p ranks.csv)" "8,1e-07,,0,0,0,1e-07"
equal "messages in the trace" "$(grep -c '"name":"from [1-8]","ph":"X","pid":0,"tid":512,.*"bytes":1000' incast.json)" 8
refuses 1 "cannot write nowhere/ranks" sim --goal incast.goal --per-rank nowhere/ranks

refuses 2 "export needs a collective" export
refuses 2 "unknown algorithm 'ring' of this collective: use one of binomial" export bcast --algorithm ring
refuses 2 "recursive_doubling needs a power of two" export allgather --algorithm recursive_doubling --procs 6
refuses 2 "none of 2 ranks" export bcast --root 2
refuses 2 "one --procs and one --size" export allgather --procs 2,4
refuses 2 "say by -o FILE" export allgather --format ti-list
refuses 2 "so many bytes" export allgather --procs 64 --size 1000000000000000000 -o large
refuses 1 "cannot write" export allgather -o nowhere/file
[ -z "$(find . -name '*large*' -o -name '*.tmp')" ] && pass || fail "a broken file is left"
refuses 1 "cannot read" sim --goal nowhere
refuses 2 "leave out allgather" sim allgather --goal same.goal
printf 'num_ranks 2\nrank 0 {\nsend 1b to 2\n}\n' >bad.goal
refuses 2 "bad.goal:3: there is no rank 2, num_ranks is 2" sim --goal bad.goal
printf 'num_ranks 2\nrank 0 {\nr: recv 1b from 1\ns: send 1b to 1\ns requires r\n}\n' >dead.goal
printf 'rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\n}\n' >>dead.goal
refuses 2 "dead.goal: deadlock: rank 0 waits for rank 1 .line 3., rank 1 waits for rank 0 .line 8." sim --goal dead.goal
printf 'num_ranks 2\nrank 0 {\nsend 18446744073709551614b to 1\n}\nrank 1 {\nrecv 18446744073709551614b from 0\n}\n' >large.goal
refuses 2 "large.goal: the times of this program and network add up to more than 106 days" sim --goal large.goal
printf 'num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\nrecv 9b from 0\n}\n' >short.goal
refuses 2 "short.goal: line 6: rank 1 receives 9 bytes of the 10 that rank 0 sends in line 3" sim --goal short.goal
printf 'num_ranks 16777216\nrank 0 {\ncalc 1 cpu 200\n}\n' >many.goal
refuses 4 "many.goal: 16777216 ranks of 201 cpus and 1 nics are too many" sim --goal many.goal

# SimGrid, on a platform where every pair of hosts has a link of its own. Its messages have an envelope of 16 bytes, and ours do not
# count the first byte: both are in L.
platform() { # HOSTS
    echo '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1"><zone id="z" routing="Full">'
    pairs=$(for i in $(seq "$1"); do for j in $(seq "$1"); do [ "$i" -eq "$j" ] || echo "$i $j"; done; done)
    seq "$1" | sed 's/.*/<host id="h&" speed="1Gf"\/>/'
    echo "$pairs" | sed 's/\(.*\) \(.*\)/<link id="l\1_\2" bandwidth="100kBps" latency="25ms" sharing_policy="FATPIPE"\/>/'
    echo "$pairs" | sed 's/\(.*\) \(.*\)/<route src="h\1" dst="h\2" symmetrical="NO"><link_ctn id="l\1_\2"\/><\/route>/'
    echo '</zone></platform>'
}
replay() { # ALGORITHM PROCS
    "$shmcoll" export allgather --algorithm "$1" --procs "$2" --size 1000 --format ti-list -o trace
    "$shmcoll" export allgather --algorithm "$1" --procs "$2" --size 1000 -o trace.goal
    ours=$("$shmcoll" sim --goal trace.goal --network loggp:L=25.17ms,o=0ns,g=0ns,G=10us,gr=0ns --format jsonl | time_of)
    timeout -k 5 120 smpirun -replay trace -np "$2" -platform platform.xml -hostfile hosts --cfg=network/model:CM02 \
        --cfg=network/TCP-gamma:0 --cfg=network/crosstraffic:0 >replayed 2>&1
    theirs=$(sed -n 's/.*Simulation time //p' replayed)
    if [ -z "$theirs" ]; then
        echo "export: smpirun does not replay $* here: $(head -c 200 replayed | tr '\n' ' ')"
    else
        equal "SimGrid, $*" "$theirs" "$(printf '%.6f' "$ours")"
    fi
}
if command -v smpirun >/dev/null; then
    platform 13 >platform.xml
    seq 13 | sed 's/^/h/' >hosts
    replay bruck 8
    replay bruck 13
    replay ring 13
    replay sparbit 11
else
    echo "export: smpirun is not installed, its replay is left out"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
