#!/bin/sh
# The main job from end to end on this host: demo.sh COMMAND OUT. Calibrates, predicts, simulates, runs and compares;
# leaves data, scripts and figures in OUT.
set -eu
shmcoll=$1 out=$2
node=$out/node.yaml
mkdir -p "$out"
began=$(date +%s)

say() { printf '\n== %s\n' "$*"; }

say "What on this host disturbs measurements (shmcoll doctor)"
"$shmcoll" doctor -o "$out/doctor.txt"
grep -E -A1 '^(warn|missing)' "$out/doctor.txt" || echo "nothing serious; all findings are in $out/doctor.txt"

calibrate() {
    say "Calibrating this host (shmcoll calibrate -o $node)"
    "$shmcoll" calibrate -o "$node"

    say "Predicting f* and s*, and the best queue that can be executed (shmcoll model bcast)"
    "$shmcoll" model bcast --node "$node" --size 16K,64K,1M,16M
}

compare_fragments() {
    say "Model, simulator and run over message and fragment size (shmcoll compare bcast)"
    "$shmcoll" compare bcast --node "$node" --size 16K,64K,1M,16M --fragment 4K..256K --buffer 1M,4M --time-limit 300ms \
        --rows "$out/compare_fragment.csv" >"$out/compare_fragment.txt"
    cat "$out/compare_fragment.txt"
}

compare_sizes() {
    say "The same with predicted queues over message size"
    "$shmcoll" compare bcast --node "$node" --size 64..16M --time-limit 300ms --rows "$out/compare_size.csv" \
        >"$out/compare_size.txt"
    cat "$out/compare_size.txt"
}

# A virtual machine may have gone over to another state for good: then few points could be run in the one that was calibrated.
few_runs() { # ROWS
    [ "$(grep -c '^run,' "$1")" -lt $(($(grep -c '^sim,' "$1") / 2)) ]
}

calibrate
compare_fragments
if few_runs "$out/compare_fragment.csv"; then
    calibrate
    compare_fragments
fi
compare_sizes
if few_runs "$out/compare_size.csv"; then
    calibrate
    compare_sizes
fi

say "Figures (shmcoll figure)"
"$shmcoll" figure compare_fragment compare_size host7 host9 all --node "$node" -o "$out"

say "Done in $(($(date +%s) - began)) s: figures (pdf, svg, png), their data (csv) and scripts (gp) are in $out/"
