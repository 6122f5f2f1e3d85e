# What run_check.sh and run_stress.sh have in common; they source it after setting name, make and jobs.
totals=build/$name.totals
mkdir -p build
rm -f "$totals" "$totals.failures"

build() { # VARIANT TARGETS...
    variant=$1
    shift
    $make --no-print-directory -s -j"$jobs" V="$variant" "$@" && return 0
    echo "0 1 0" >>"$totals"
    echo "$name: building $* with V=$variant failed" | tee -a "$totals.failures"
    return 1
}
# What a shell runs beside itself ignores SIGINT, and tests that send it would find nobody.
run() { label=$1; shift; [ $# -eq 0 ] || env --default-signal=INT tests/run_tests.sh "$label" "$totals" "$@"; }
trap 'trap - TERM; kill -TERM 0; exit 130' INT TERM

# What failed is told once more at the end, where whoever sees only the end of a long log looks.
summarize() {
    touch "$totals" "$totals.failures"
    cat "$totals.failures"
    awk '{ passed += $1; failed += $2; skipped += $3 }
         END { if (skipped) printf "%d skipped\n", skipped
               printf "%d passed, %d failed\n", passed, failed
               exit failed > 0 || passed == 0 }' "$totals"
}
