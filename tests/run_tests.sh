#!/bin/sh
# Runs test programs one after the other and counts what really ran: run_tests.sh LABEL TOTALS PROGRAM ...
# A program says its totals as cmocka does or as "N passed, N failed"; one that says nothing, crashes or overruns
# counts as a failure; exit code 77 is a skip. Appends "passed failed skipped" to TOTALS, "label directory;wall s;cpu tenths of s"
# to TOTALS.parts and what failed printed to TOTALS.failures.
set -u
label=$1 totals=$2
shift 2
# Only what hangs is stopped: what takes a minute may take ten where the machine is slow or shared with many.
limit=${SHMCOLL_TEST_LIMIT_S:-1800}
# Neither how a locale writes numbers and sorts, nor where on earth it runs, is part of a test.
LC_ALL=C TZ=UTC
export LC_ALL TZ
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log".*' EXIT

# Sums the totals in a log: cmocka's, or our own line.
count() {
    awk '/^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
         /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
         /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
         /^[0-9]+ passed, [0-9]+ failed/ { passed += $1; failed += $3 }
         END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}

. tests/measure_cpu.sh

measure_cpu "$log.times"
sum_passed=0 sum_failed=0 sum_skipped=0
for program; do
    start=$(date +%s) cpu_before=$cpu
    timeout -k 5 "$limit" "$program" >"$log" 2>&1
    code=$?
    measure_cpu "$log.times"
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
    wall_s=$(($(date +%s) - start)) cpu_s=$(((cpu - cpu_before + 50) / 100)) directory=$(basename "$(dirname "$program")")
    echo "$label $directory;$wall_s;$(((cpu - cpu_before) / 10))" >>"$totals.parts"
    {
        echo "$label $program: $passed passed, $failed failed, $skipped skipped, $wall_s s (cpu $cpu_s s)$note"
        grep '^\(seed\|guest\)' "$log"
    } >"$log.report"
    # What it printed at its beginning and at its end: its seed is told first, and what sanitizers say is long.
    [ "$failed" -eq 0 ] || {
        echo "--- output of $label $program$note"
        if [ "$(wc -l <"$log")" -le 80 ]; then cat "$log"; else head -n 20 "$log"; echo "..."; tail -n 60 "$log"; fi
        echo "---"
    } >"$log.failure"
    # All at once: others print beside.
    [ "$failed" -eq 0 ] || cat "$log.failure" >>"$totals.failures"
    [ "$failed" -eq 0 ] && cat "$log.report" || cat "$log.report" "$log.failure"
done
echo "$sum_passed $sum_failed $sum_skipped" >>"$totals"
[ $sum_failed -eq 0 ]
