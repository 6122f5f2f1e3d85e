#!/bin/sh
# Every fuzz target with its seeds and what is committed, built with AddressSanitizer by the compiler of the rest; `make stress` fuzzes.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/fuzz/show_input.sh
passed=0 failed=0
tests/fuzz/make_seeds.sh "$work/seeds" || failed=1

for target in tests/fuzz/fuzz_*.c; do
    name=$(basename "$target" .c) leaks=1
    name=${name#fuzz_}
    case $name in hwloc_*) leaks=0 ;; esac # hwloc itself leaks where it gives up
    set -- "$work/seeds/$name"
    [ -d "tests/fuzz/corpus/$name" ] && set -- "$@" "tests/fuzz/corpus/$name"
    if ASAN_OPTIONS=detect_leaks=$leaks env -u HWLOC_XMLFILE -u HWLOC_SYNTHETIC "build/asan/tests/fuzz/fuzz_$name" "$@" >"$work/inputs" 2>"$work/err"; then
        passed=$((passed + 1))
        echo "replayed for $name: $(wc -l <"$work/inputs") inputs"
    else
        failed=$((failed + 1))
        last=$(tail -n 1 "$work/inputs")
        echo "FAILED: $name: $(grep -m 3 -E 'ERROR|SUMMARY|runtime error' "$work/err" | head -c 1000)"
        [ -f "$last" ] && show_input "$last"
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
