#!/bin/sh
# A guest of two domains with two cpus each, as many as boot quickly, after a look at those who judge it: what is missing, failed or hangs in a guest must count.
set -u
cd "$(dirname "$0")/../.." || exit 1
here=tests/numa_guest
passed=0 failed=0

judged() { # WHAT EXPECTED LINE...
    what=$1 expected=$2
    shift 2
    verdict=$(printf '%s\r\n' "$@" | awk -v name=self -f $here/judge.awk | tail -n 1)
    if [ "$verdict" = "$expected" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "judging $what: '$verdict' instead of '$expected'"
    fi
}

begin='guest: begin /bin/t' ok='[  PASSED  ] 3 test(s).' bad='[  FAILED  ] 2 test(s), listed below:' done='guest: done'
judged "a good guest" "3 0" "$begin" "$ok" "guest: end 0 /bin/t" "$done"
judged "failed tests" "3 2" "$begin" "$ok" "$bad" "guest: end 2 /bin/t" "$done"
judged "a crash" "3 1" "$begin" "$ok" "guest: end 139 /bin/t" "$done"
judged "a program that says nothing" "0 1" "$begin" "guest: end 0 /bin/t" "$done"
judged "a skipped test" "3 1" "$begin" "$ok" "[  SKIPPED ] 1 test(s)." "guest: end 0 /bin/t" "$done"
judged "a hang" "3 1" "$begin" "$ok" "guest: end 0 /bin/t" "guest: begin /bin/u"
judged "a reboot in between" "3 1" "$begin" "$ok" "guest: end 0 /bin/t"
judged "no guest" "0 2" ""

# A guest that is not done in time is stopped, and that is a failure.
report=$(SHMCOLL_GUEST_LIMIT_S=1 $here/run_guest.sh pair 2>&1)
case $?:$report in
77:*)
    printf '%s\n%s passed, %s failed\n' "$report" $passed $failed
    exit 77
    ;;
1:*"stopped after 1 s"*) passed=$((passed + 1)) ;;
*) failed=$((failed + 1)) && echo "a guest stopped after a second: $report" ;;
esac
echo "$passed passed, $failed failed"
SHMCOLL_TEST_BRIEF=1 $here/run_guest.sh pair || failed=1
[ $failed -eq 0 ]
