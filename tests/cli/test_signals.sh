#!/bin/sh
# Ctrl-C (to all processes of the terminal) and SIGTERM (to the command alone) in the middle of a run, for every protocol: the command ends
# by the signal, and no process and no name in /dev/shm remains. A rank that is stopped is named by --stall-report.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/asking.sh

runs_with() { # SEED: the numbers of the processes that have it on their command line
    echo "$1" >"$work/seed" # read from a file, so that who looks does not find itself
    grep -lsazF -f "$work/seed" /proc/[0-9]*/cmdline | sed 's|/proc/||; s|/.*||'
}
none_with() { [ -z "$(runs_with "$1")" ]; }
gone() { within 300 none_with "$1"; } # SEED: no such process remains
size_for() { case $1 in eager | direct_line) echo 64 ;; *) echo 1M ;; esac; }

# broken_off PROTOCOL SIGNAL CODE TIMEOUT-OPTIONS...
broken_off() {
    protocol=$1 signal=$2 code=$3
    shift 3
    seed=$$$(date +%N) before=$(names)
    timeout --preserve-status -k 300 "$@" -s "$signal" 0.4 "$shmcoll" run "$collective" --procs 3 --protocol "$protocol" --size "$(size_for "$protocol")" \
        --reps 1000000 --time-limit 60s --seed "$seed" >"$work/out" 2>"$work/err"
    got=$?
    if [ $got -ne "$code" ]; then
        fail "$protocol: SIG$signal gives exit code $got, not $code: $(head -c 200 "$work/err")"
    elif ! gone "$seed"; then
        fail "$protocol: SIG$signal leaves processes $(runs_with "$seed")"
    elif ! no_name_left "$before"; then
        fail "$protocol: SIG$signal leaves in /dev/shm: $(names)"
    else
        pass
    fi
}

protocols=$("$shmcoll" run --help | awk '/^Protocols/ { of = "bcast"; next } /^of allgather/ { of = "allgather"; next }
                                         of && /^  [a-z]/ { print of ":" $1 }')
[ "$(echo "$protocols" | wc -l)" -ge 4 ] && pass || fail "the help lists no protocols"
# Both signals for each protocol with SHMCOLL_TEST_FULL, else one for each, another each time.
turn=$(($(date +%s) % 2))
for each in $protocols; do
    collective=${each%:*} protocol=${each#*:} turn=$((1 - turn))
    [ $turn -eq 1 ] && [ -z "${SHMCOLL_TEST_FULL:-}" ] || broken_off "$protocol" INT 130
    [ $turn -eq 0 ] && [ -z "${SHMCOLL_TEST_FULL:-}" ] || broken_off "$protocol" TERM 143 --foreground
done

# A rank sleeps until the others say so, and the run ends well.
all_there() { [ "$(runs_with "$seed" | wc -l)" -ge 4 ] || ! kill -0 $command 2>/dev/null; } # or no more
told() { grep -qE 'rank [0-9] has waited (0\.[2-9]|[1-9])[0-9.e+]* s .* for rank' "$work/err"; }
told_or_ended() { told || ! kill -0 $command 2>/dev/null; }
stop_a_rank() { # SECONDS: how long the run takes, in which the rank has to be found and stopped
    seed=$$$(date +%N)
    "$shmcoll" run bcast --procs 3 --size 256K --reps 1000000 --time-limit "$1s" --stall-report 200ms --seed "$seed" >"$work/out" 2>"$work/err" &
    command=$!
    within "$limit_s" all_there
    sleep 0.5
    rank=$(runs_with "$seed" | grep -v "^$command\$" | tail -n 1)
    [ -n "$rank" ] && kill -STOP "$rank" && within 120 told_or_ended
    [ -n "$rank" ] && kill -CONT "$rank"
    wait $command && told
}
# Where a run was over before a rank of it was found, a longer one is tried.
for try_s in 3 10 30 100 300; do
    if stop_a_rank $try_s; then
        pass
        break
    elif [ $try_s -eq 300 ]; then
        fail "nobody names the stopped rank: $(head -c 300 "$work/err")"
    fi
done

finish
