#!/bin/sh
# figure partition_time: every point is there once, times are in order, and its cuts and bounds are those that map tells.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/asking.sh
SHMCOLL_PLOTS=$PWD/plots
export SHMCOLL_PLOTS

timeout 600 "$shmcoll" figure partition_time -o "$work/figure" >/dev/null 2>"$work/err" || fail "figure partition_time: $(head -c 300 "$work/err")"
csv=$work/figure/partition_time.csv
equal columns "$(head -n 1 "$csv")" algorithm,partitioner,procs,parts,time_s,time_min_s,time_max_s,reps,cut,bound

# From 1,024 to 65,536 vertices, and two points more that formulas have at once.
for algorithm in bruck recursive_doubling; do
    for parts in 128 256 512; do
        for partitioner in metis-rb auto closed; do
            for procs in 1024 2048 4096 8192 16384 32768 65536; do
                echo "$algorithm,$partitioner,$procs,$parts"
            done
        done
    done
done >"$work/points"
printf '%s\n' bruck,auto,1048576,131072 bruck,closed,1048576,131072 >>"$work/points"
sed 1d "$csv" | cut -d, -f1-4 | sort >"$work/found"
if sort "$work/points" | cmp -s - "$work/found"; then pass; else fail "points: $(sort "$work/points" | diff - "$work/found" | head -n 5)"; fi
wrong=$(sed 1d "$csv" | awk -F, 'NF != 10 || !($6 > 0 && $6 <= $5 && $5 <= $7) || $8 < 1 || $8 > 5 || $9 < $10' | head -n 3)
if [ -z "$wrong" ]; then pass; else fail "rows that cannot be: $wrong"; fi

# told ARGUMENTS...: rows of map as the figure has them.
told() {
    timeout 600 "$shmcoll" map allgather "$@" --format csv 2>>"$work/err" | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $at["algorithm"] "," $at["partitioner"] "," $at["procs"] "," $at["parts"] "," $at["cut"] "," $at["bound"] }'
}
for algorithm in bruck recursive_doubling; do
    for parts in 128 256 512; do
        told --algorithm $algorithm --procs 1K..64K --parts $parts --partitioner metis-rb,auto,closed
    done
done >"$work/map"
told --procs 1M --parts 131072 --partitioner auto,closed >>"$work/map"
sed 1d "$csv" | cut -d, -f1-4,9,10 | sort >"$work/figure.cuts"
if sort "$work/map" | cmp -s - "$work/figure.cuts"; then
    pass
else
    fail "cuts of map and of the figure: $(sort "$work/map" | diff - "$work/figure.cuts" | head -n 6; head -c 200 "$work/err")"
fi

finish
