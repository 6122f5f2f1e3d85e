# What run_check.sh and run_stress.sh have in common; they source it after setting name, make and jobs.
totals=build/$name.totals
mkdir -p build
rm -f "$totals" "$totals.failures" "$totals.parts"
begun=$(date +%s)
. tests/measure_cpu.sh

build() { # VARIANT TARGETS...
    variant=$1
    shift
    clock=$(mktemp) build_begun=$(date +%s)
    measure_cpu "$clock"
    cpu_before=$cpu
    $make --no-print-directory -s -j"$jobs" V="$variant" "$@"
    code=$?
    measure_cpu "$clock"
    rm -f "$clock"
    echo "build $variant;$(($(date +%s) - build_begun));$(((cpu - cpu_before) / 10))" >>"$totals.parts"
    [ $code -eq 0 ] && return 0
    echo "0 1 0" >>"$totals"
    echo "$name: building $* with V=$variant failed" | tee -a "$totals.failures"
    return 1
}
# What a shell runs beside itself ignores SIGINT, and tests that send it would find nobody.
run() { label=$1; shift; [ $# -eq 0 ] || env --default-signal=INT tests/run_tests.sh "$label" "$totals" "$@"; }
# Lines "[NAME=VALUE...] tests/run_tests.sh ...", as many at a time as there are cpus; more than eight would ask for much memory.
run_queue() { xargs -L 1 -P $((jobs > 8 ? 8 : jobs)) env --default-signal=INT; }
trap 'trap - TERM; kill -TERM 0; exit 130' INT TERM

# Where the time went: builds, then the tests of each variant and directory.
tell_parts() {
    awk -F ';' -v wall_s=$(($(date +%s) - begun)) -v cpus="$jobs" '
        !($1 in wall) { part[n++] = $1 }
        { wall[$1] += $2; cpu[$1] += $3 / 10; all += $3 / 10 }
        END { printf "%-28s %6s %6s\n", "part", "wall s", "cpu s"
              for (i = 0; i < n; i++) printf "%-28s %6d %6.0f\n", part[i], wall[part[i]], cpu[part[i]]
              printf "%-28s %6d %6.0f, on %d cpus %.0f %% busy\n", "all, some beside others", wall_s, all, cpus,
                     100 * all / cpus / (wall_s + !wall_s) }' "$totals.parts"
}

# What failed is told once more at the end, where whoever sees only the end of a long log looks.
summarize() {
    tell_parts
    touch "$totals" "$totals.failures"
    cat "$totals.failures"
    awk '{ passed += $1; failed += $2; skipped += $3 }
         END { if (skipped) printf "%d skipped\n", skipped
               printf "%d passed, %d failed\n", passed, failed
               exit failed > 0 || passed == 0 }' "$totals"
}
