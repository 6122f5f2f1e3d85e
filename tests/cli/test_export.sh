#!/bin/sh
# Schedules out and GOAL programs in: shmcoll export and sim --goal; where SimGrid is installed, it plays the traces as we do.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/asking.sh
cd "$work" || exit 1

time_of() { sed -n 's/.*"time_s":\([^,}]*\).*/\1/p'; }

# A schedule takes the same time as a collective and as a GOAL program.
same() { # COLLECTIVE ALGORITHM PROCS SIZE [OPTIONS...]
    said=$* collective=$1 algorithm=$2 procs=$3 size=$4
    shift 4
    "$shmcoll" export "$collective" --algorithm "$algorithm" --procs "$procs" --size "$size" "$@" -o same.goal || fail "export $said"
    goal=$("$shmcoll" sim --goal same.goal --network loggp:L=1us,o=300ns,g=700ns,G=571ps,gr=900ns --format jsonl | time_of)
    direct=$("$shmcoll" sim "$collective" --algorithm "$algorithm" --procs "$procs" --size "$size" "$@" \
        --network loggp:L=1us,o=300ns,g=700ns,G=571ps,gr=900ns --format jsonl | time_of)
    equal "$said" "$goal" "$direct"
}
same allgather bruck 100 1K
same allgather ring 33 7
same allgather recursive_doubling 64 64K
same bcast binomial 50 1M
same bcast scatter_allgather 21 12345
awk 'BEGIN { print "ranks 50 stride"; for (r = 0; r < 50; r++) print r * 7 % 50 }' >stride.map
same allgather bruck 50 1K --mapping stride.map --remap exch
same allgather sparbit 50 1K --mapping stride.map --remap exch
same allgather locality_bruck 64 64K
# By a mapping others exchange the same messages, and one message more where blocks are exchanged before.
lines() { "$shmcoll" export allgather --procs 50 --algorithm sparbit "$@" | grep -c send; }
equal "messages" "$(lines) $(lines --mapping stride.map) $(lines --mapping stride.map --remap exch)" "300 300 348"
refuses 2 "mapping is of allgather, not of bcast" export bcast --procs 50 --mapping stride.map
refuses 2 "stride.map is of 50 ranks, not of 4" export allgather --procs 4 --mapping stride.map
refuses 2 "remap is of a mapping" export allgather --procs 4 --remap exch
# Of nodes of 4 ranks, one message of three ranks goes to each of the other nodes.
equal "messages between nodes" "$("$shmcoll" export allgather --procs 16 --ppn 4 --algorithm locality_bruck |
    awk '/^rank/ { r = $2 } /send/ && int($5 / 4) != int(r / 4)' | wc -l)" 12

# And over shared links, where the time of every rank went is the same too: a switch, and a tree with one link up for two nodes.
cat >tree.yaml <<'END'
shmcoll_network: 1
name: narrow
kind: fat_tree
levels: 3
radix: 6
oversubscription: 2
latency_ns: {value: 700, source: assumed}
overhead_ns: {value: 150, source: assumed}
gap_ns: {value: 50, source: assumed}
receiver_gap_ns: {value: 50, source: assumed}
byte_ns: {value: 0.04, source: assumed}
link_byte_ns: {value: 0.06, source: assumed}
switch_ns: {value: 130, source: assumed}
END
shared() { # NETWORK COLLECTIVE ALGORITHM PROCS SIZE
    "$shmcoll" export "$2" --algorithm "$3" --procs "$4" --size "$5" -o shared.goal || fail "export $*"
    goal=$("$shmcoll" sim --goal shared.goal --network "$1" --per-rank goal.csv --trace goal.json --format jsonl | time_of)
    direct=$("$shmcoll" sim "$2" --algorithm "$3" --procs "$4" --size "$5" --network "$1" --per-rank ranks.csv --trace ranks.json \
        --format jsonl | time_of)
    equal "$*" "$goal" "$direct"
    cmp -s goal.csv ranks.csv && pass || fail "$*: ranks' times differ: $(diff goal.csv ranks.csv | head -n 4)"
    grep '"cat":"\(nic\|link\)' goal.json | sort >goal.links
    grep '"cat":"\(nic\|link\)' ranks.json | sort | cmp -s - goal.links && [ -s goal.links ] && pass || fail "$*: traces differ"
}
shared tianhe allgather bruck 64 1K
shared gigabit bcast scatter_allgather 21 12345
shared tree.yaml bcast binomial 60 1M
# And where ranks share nodes, with their memory if links are shared; a rank then also sends to itself.
nodes() { # NETWORK NODE ALGORITHM PROCS PPN SIZE
    "$shmcoll" export allgather --algorithm "$3" --procs "$4" --size "$6" -o nodes.goal || fail "export $*"
    set -- "$*" --network "$1" --node "$2" --ppn "$5" --format jsonl allgather --algorithm "$3" --procs "$4" --size "$6"
    said=$1
    shift
    goal=$("$shmcoll" sim --goal nodes.goal "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" --per-rank goal.csv --trace goal.json | time_of)
    direct=$("$shmcoll" sim "$@" --per-rank ranks.csv --trace ranks.json | time_of)
    equal "$said" "$goal" "$direct"
    cmp -s goal.csv ranks.csv && pass || fail "$said: ranks' times differ: $(diff goal.csv ranks.csv | head -n 4)"
    grep '"cat":"\(nic\|link\)' goal.json | sort >goal.links
    grep '"cat":"\(nic\|link\)' ranks.json | sort | cmp -s - goal.links || [ ! -s goal.links ] && pass || fail "$said: traces differ"
}
nodes loggp:L=1us,o=300ns,g=700ns,G=571ps,gr=900ns nehalem-2x4 bruck 50 8 64K
nodes loggp nehalem-2x4 ring 20 4 7
nodes gigabit paper bruck 64 8 64K
nodes infiniband-hdr paper recursive_doubling 64 8 64K
nodes tree.yaml paper ring 33 3 1K
nodes infiniband-hdr harpertown-2x4 recursive_doubling 64 8 64K
nodes gigabit harpertown-2x4 neighbour_exchange 16 8 64K
nodes tree.yaml nehalem-2x4 ring 36 6 256K
printf 'num_ranks 2\nrank 0 {\nsend 1000b to 0\nrecv 1000b from 0\n}\n' >self.goal
says '"node":"nehalem-2x4",.*"time_s":[0-9.]*e-07,.*"ppn":2' sim --goal self.goal --network gigabit --node nehalem-2x4 --ppn 2 --format jsonl
says '"ppn":4000000000' sim --goal self.goal --network gigabit --node nehalem-2x4 --ppn 4000000000 --format jsonl
refuses 4 "9 ranks share the 8 cores of node nehalem-2x4" sim --goal nodes.goal --network gigabit --node nehalem-2x4 --ppn 9
refuses 2 "leave out --levels" sim --goal nodes.goal --network gigabit --node nehalem-2x4 --ppn 2 --levels 2
refuses 4 "does not say what a .* costs, which messages between its ranks need" sim --goal nodes.goal --ppn 2 --node "synthetic:pack:2 core:2 pu:1"
shared tree.yaml allgather ring 33 7
shared infiniband-hdr allgather recursive_doubling 64 64K

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
equal "incast on a switch" "$("$shmcoll" sim --goal incast.goal --network switch:L=1us,o=100ns,g=50ns,G=1ns --format jsonl | time_of)" \
    9.542e-06
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
refuses 2 "cannot read" sim --goal nowhere
for option in "--procs 4" "-s 1K" "--seed 2" "--ppn 1" "--levels 1" "--node paper" "--in-place" "--skew 1us" "--root 0" "--jobs 1"; do
    refuses 2 "goal says what ranks do, each on a node of the --network: leave out --[a-z]" sim $option --goal same.goal
done
refuses 2 "leave out --size" sim --goal same.goal --network tianhe --size 4
printf 'num_ranks 73\nrank 0 {\ncalc 1\n}\n' >room.goal
refuses 2 "narrow has room for 72 nodes, not for 73" sim --goal room.goal --network tree.yaml
refuses 1 "cannot write nowhere/trace" sim --goal incast.goal --network gigabit --trace nowhere/trace
refuses 2 "leave out allgather" sim allgather --goal same.goal
printf 'num_ranks 2\nrank 0 {\nsend 1b to 2\n}\n' >bad.goal
refuses 2 "bad.goal:3: there is no rank 2, num_ranks is 2" sim --goal bad.goal
printf 'num_ranks 2\nrank 0 {\nr: recv 1b from 1\ns: send 1b to 1\ns requires r\n}\n' >dead.goal
printf 'rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\n}\n' >>dead.goal
refuses 2 "dead.goal: deadlock: rank 0 waits for rank 1 .line 3., rank 1 waits for rank 0 .line 8." sim --goal dead.goal
refuses 2 "dead.goal: deadlock: rank 0 waits for rank 1 .line 3., rank 1 waits for rank 0 .line 8." sim --goal dead.goal --network tianhe
printf 'num_ranks 2\nrank 0 {\nsend 18446744073709551614b to 1\n}\nrank 1 {\nrecv 18446744073709551614b from 0\n}\n' >large.goal
refuses 2 "large.goal: the times of this program and network add up to more than 106 days" sim --goal large.goal
printf 'num_ranks 2\nrank 0 {\nsend 900000000000000b to 1\n}\nrank 1 {\nrecv 900000000000000b from 0\n}\n' >large.goal
refuses 2 "large.goal: the times of this program and network add up to more than 106 days" sim --goal large.goal --ppn 2 --node paper
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
finish
