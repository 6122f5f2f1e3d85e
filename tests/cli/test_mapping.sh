#!/bin/sh
# --mapping and --remap from outside: what is refused, and that renumbering moves what it should between nodes.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/asking.sh

# v mod 8 for rank v's node: the least for Bruck among 8 nodes of 8.
awk 'BEGIN { print "ranks 64 closed"; for (r = 0; r < 64; r++) print r % 8 * 8 + int(r / 8) }' >"$work/closed.map"
printf 'ranks 4\n2\n0\n3\n1\n' >"$work/four.map"
printf 'ranks 4\n2\n0\n2\n1\n' >"$work/twice.map"
printf 'ranks 4\n2\n0\n' >"$work/short.map"

refuses 2 "twice.map:4: virtual rank 2 is of rank 0 and again of rank 2" sim allgather --network loggp --procs 4 --mapping "$work/twice.map"
refuses 2 "short.map:3: ends after 2 of 4 ranks" sim allgather --network loggp --procs 4 --mapping "$work/short.map"
refuses 2 "none.map: cannot read" sim allgather --network loggp --procs 4 --mapping "$work/none.map"
refuses 2 "four.map is of 4 ranks, not of 5: give --procs 4" sim allgather --network loggp --procs 4,5 --mapping "$work/four.map"
refuses 2 "remap is of a mapping: give --mapping" sim allgather --network loggp --procs 4 --remap exch
refuses 2 "remap: .*'other'" sim allgather --network loggp --procs 4 --mapping "$work/four.map" --remap other
refuses 2 "mapping is of allgather, not of bcast" sim bcast --network loggp --procs 4 --mapping "$work/four.map"
refuses 2 "leave out --levels" sim allgather --network gigabit --procs 4 --ppn 2 --levels 2 --mapping "$work/four.map"
refuses 2 "mapping is of schedules: give an --algorithm" run allgather --procs 4 --mapping "$work/four.map"
refuses 2 "mapping is of schedules: give an --algorithm" run allgather --procs 4 --algorithm direct --mapping "$work/four.map"

refuses 4 "the model knows no mapping on a network" model allgather --network loggp --procs 4 --algorithm ring --mapping "$work/four.map"
# With another variant the model counts what the simulator counts, by any mapping.
for how in exch reorder; do
    flat="allgather --node nehalem-2x4 --network gigabit --procs 64 --ppn 8 --size 1K --algorithm all --mapping $work/closed.map --remap $how --format jsonl"
    for evaluator in "model --variant extended" sim; do
        "$shmcoll" $evaluator $flat | grep -o '"algorithm":"[a-z_]*"\|"messages_inside.*bytes_between":[0-9]*' >"$work/counts.${evaluator%% *}"
    done
    [ "$(grep -c bytes_between "$work/counts.model")" -eq 6 ] && cmp -s "$work/counts.model" "$work/counts.sim" && pass || fail "counts differ, $how"
done
# Over channels as many messages go to ranks of the node and to others as without.
for how in exch reorder; do
    flat="sim allgather --node nehalem-2x4 --network infiniband-ddr --procs 64 --ppn 8 --size 200 --algorithm all --mapping $work/closed.map --remap $how --format jsonl"
    for way in "" "--channel er" "--channel sr"; do
        "$shmcoll" $flat $way | grep -o '"algorithm":"[a-z_]*"\|"messages_inside.*bytes_between":[0-9]*' >"$work/counts${way##* }"
    done
    [ "$(grep -c bytes_between "$work/counts")" -eq 6 ] && cmp -s "$work/counts" "$work/countser" && cmp -s "$work/counts" "$work/countssr" && pass ||
        fail "counts over channels differ, $how"
done
# A rank a node: what `map` cuts is what passes between nodes, and who exchanges sends one block more.
says '"cut":12,' map allgather --algorithm bruck --procs 4 --parts 4 --format jsonl
for channel in mp er sr zc combined; do
    flat="sim allgather --network tianhe --channel $channel --procs 4 --size 1K --mapping $work/four.map --format jsonl"
    says '"remap":"reorder","messages_inside":0,"messages_between":8,"bytes_inside":0,"bytes_between":12288' $flat
    says '"remap":"exch","messages_inside":0,"messages_between":12,"bytes_inside":0,"bytes_between":16384' $flat --remap exch
done

# 3752 blocks of 1 KiB between nodes; 448 in the best numbering, 56 more if they are exchanged before.
flat="sim allgather --node nehalem-2x4 --network gigabit --procs 64 --ppn 8 --size 1K --format jsonl"
says '"messages_inside":136,"messages_between":248,"bytes_inside":286720,"bytes_between":3842048' $flat
says '"mapping":"closed.map","remap":"reorder","messages_inside":192,"messages_between":192,.*"bytes_between":458752' $flat --mapping "$work/closed.map"
says '"remap":"exch","messages_inside":192,"messages_between":248,.*"bytes_between":516096' $flat --mapping "$work/closed.map" --remap exch
# By the paper's formula of 8 nodes of 8: one message out for each of seven ranks, and every block comes into a node once.
says '"messages_inside":376,"messages_between":56,.*"bytes_between":458752' $flat --algorithm locality_bruck
# What takes less: over a slow network, for short blocks, moves within ranks; where nodes copy slower than the network carries, one more round.
says '"size_bytes":1024,.*"remap":"reorder"' $flat --mapping "$work/closed.map" --remap auto
for evaluator in "model --variant extended" sim; do
    says '"size_bytes":262144,.*"remap":"exch"' $evaluator allgather --node nehalem-2x4 --network infiniband-hdr --procs 64 --ppn 8 --size 256K \
        --mapping "$work/closed.map" --remap auto --format jsonl
done
says '"remap":"exch"' sim allgather --node nehalem-2x4 --procs 4 --size 256K --algorithm bruck --mapping "$work/four.map" --remap auto --format jsonl
refuses 2 "remap auto goes by a machine's costs" export allgather --procs 4 --mapping "$work/four.map" --remap auto
for evaluator in model sim; do
    for how in exch reorder; do
        says '"algorithm":"bruck".*"mapping":"four.map","remap":"'$how $evaluator allgather --node nehalem-2x4 --procs 4 --algorithm ring,bruck \
            --channel er --mapping "$work/four.map" --remap $how --format jsonl
    done
done
for how in exch reorder; do
    says '"algorithm":"recursive_doubling".*"verified":true.*"remap":"'$how run allgather --procs 4 --size 1K --reps 5 --warmup 1 \
        --algorithm ring,bruck,recursive_doubling --mapping "$work/four.map" --remap $how --format jsonl
done
# All schedules, without direct.
"$shmcoll" run allgather --procs 4 --size 1K --reps 5 --algorithm all --mapping "$work/four.map" --format jsonl >"$work/all"
names=$(sed 's/.*"algorithm":"\([a-z_]*\)".*"verified":true.*"mapping":"four.map".*/\1/' "$work/all" | tr '\n' ' ')
if [ "$names" = "ring recursive_doubling bruck neighbour_exchange sparbit locality_bruck " ]; then
    pass
else
    fail "all algorithms with a mapping are $names"
fi
says '"source":"sim".*"remap":"exch"' compare allgather --node paper --procs 4 --algorithm best --mapping "$work/four.map" --remap exch --format jsonl

finish
