#!/bin/sh
# Runs test programs one after the other and counts what really ran: run_tests.sh LABEL TOTALS PROGRAM ...
# A program says its totals as cmocka does or as "N passed, N failed"; one that says nothing, crashes or overruns
# counts as a failure; exit code 77 is a skip. Appends "passed failed skipped" to TOTALS
# and what failed printed to TOTALS.failures.
set -u
label=$1 totals=$2
shift 2
limit=${SHMCOLL_TEST_LIMIT_S:-300}
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.times"' EXIT

# Sums the totals in a log: cmocka's, or our own line.
count() {
    awk '/^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
         /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
         /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
         /^[0-9]+ passed, [0-9]+ failed/ { passed += $1; failed += $3 }
         END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}

# Hundredths of a second of processor time that the children have used so far; in a subshell it would be none.
measure_cpu() {
    times >"$log.times"
    cpu=$(awk -F '[ms ]+' 'END { printf "%d", 100 * (60 * ($1 + $3) + $2 + $4) }' "$log.times")
}

measure_cpu
sum_passed=0 sum_failed=0 sum_skipped=0
for program; do
    start=$(date +%s) cpu_before=$cpu
    timeout -k 5 "$limit" "$program" >"$log" 2>&1
    code=$?
    measure_cpu
    set -- $(count "$log")
    passed=$1 failed=$2 skipped=$3 note=
    if [ $code -eq 77 ]; then
        skipped=$((skipped + 1)) note=", skipped"
    elif [ $code -eq 124 ] || [ $code -eq 137 ]; then
        failed=$((failed + 1)) note=", stopped after $limit s"
    elif [ $code -ne 0 ] && [ "$failed" -eq 0 ]; then
        failed=1 note=", exit code $code"
    elif [ $((passed + failed + skipped)) -eq 0 ]; then
        failed=1 note=", no totals"
    fi
    sum_passed=$((sum_passed + passed)) sum_failed=$((sum_failed + failed)) sum_skipped=$((sum_skipped + skipped))
    echo "$label $program: $passed passed, $failed failed, $skipped skipped, $(($(date +%s) - start)) s (cpu $(((cpu - cpu_before + 50) / 100)) s)$note"
    grep '^\(seed\|guest\)' "$log"
    [ "$failed" -eq 0 ] && continue
    { echo "--- output of $label $program$note"; tail -n 60 "$log"; echo "---"; } | tee -a "$totals.failures"
done
echo "$sum_passed $sum_failed $sum_skipped" >>"$totals"
[ $sum_failed -eq 0 ]
