#!/bin/sh
# Fuzzes the readers of what others write, with AddressSanitizer: run_fuzz.sh [SECONDS a target, default 60].
# Corpora begin with make_seeds.sh and tests/fuzz/corpus (pick_corpus.sh) and grow in build/fuzz, so that a later run goes on from there;
# an input that fails is kept beside them and named.
# Ends with "N passed, N failed"; 77 where clang or its fuzzer is missing.
set -u
seconds=${1:-60}
cd "$(dirname "$0")/../.." || exit 1
. tests/fuzz/show_input.sh
out=build/fuzz
mkdir -p $out

printf 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n); int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { (void)d; (void)n; return 0; }\n' >$out/probe.c
clang -fsanitize=fuzzer,address -o $out/probe $out/probe.c 2>/dev/null || { echo "fuzz: clang or its fuzzer runtime is missing"; exit 77; }

sources='model/formats/*.c model/node.c model/network.c model/network_shape.c model/fat_tree.c model/tree.c model/tree_joined.c model/goal_*.c model/schedule*.c model/schedule/*.c
    model/numbering.c model/traffic.c sim/goal_*.c sim/sim_fabric.c sim/sim_network_trace.c sim/sim_radix.c experiments/sizes.c experiments/host_list.c experiments/fit_rows.c'
flags="-std=c11 -D_GNU_SOURCE -I. -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined"
libraries=$(pkg-config --cflags --libs hwloc yaml-0.1)
passed=0 failed=0

# The readers are compiled once, for all targets.
mkdir -p $out/objects
# shellcheck disable=SC2086
build() {
    for source in $sources; do
        object=$out/objects/$(basename "$source" .c).o
        [ "$object" -nt "$source" ] && continue
        clang $flags -fsanitize=fuzzer-no-link -c -o "$object" "$source" || return 1
    done
    # Of an archive only what a target needs is linked, and no more has to be compiled.
    rm -f $out/readers.a
    ar rcs $out/readers.a $out/objects/*.o
    for target in tests/fuzz/fuzz_*.c; do
        clang $flags -fsanitize=fuzzer -o "$out/$(basename "$target" .c)" "$target" $out/readers.a $libraries -lm || return 1
    done
}
# Headers may have changed under the objects.
find model sim experiments -name '*.h' -newer $out/objects 2>/dev/null | grep -q . && rm -f $out/objects/*.o
build || { echo "0 passed, 1 failed"; exit 1; }
touch $out/objects
tests/fuzz/make_seeds.sh $out/seeds || { echo "0 passed, 1 failed"; exit 1; }

for target in tests/fuzz/fuzz_*.c; do
    program=$(basename "$target" .c)
    name=${program#fuzz_}
    corpus=$out/corpus/$name
    mkdir -p "$corpus"
    dictionary= committed= leaks=1 runs=-1
    [ -d "tests/fuzz/corpus/$name" ] && committed=tests/fuzz/corpus/$name
    # hwloc itself leaks where it gives up, so not for long either; leaks of ours are found by the tests.
    case $name in hwloc_*) leaks=0 runs=12000 ;; esac
    [ -e "$out/seeds/$name.dict" ] && dictionary=-dict=$out/seeds/$name.dict
    # HWLOC_*: only the input may say what is read.
    if ASAN_OPTIONS=detect_leaks=$leaks env -u HWLOC_XMLFILE -u HWLOC_SYNTHETIC "$out/$program" -max_total_time="$seconds" -runs=$runs -timeout=120 -rss_limit_mb=1024 -max_len=4096 \
        -print_final_stats=1 -artifact_prefix="$out/$name-" $dictionary "$corpus" "$out/seeds/$name" $committed >"$out/$name.log" 2>&1; then
        passed=$((passed + 1))
        echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$name.log") inputs, at most $seconds s"
    else
        failed=$((failed + 1))
        echo "fuzz $name: FAILED, see $out/$name.log"
        grep -E 'ERROR|SUMMARY|runtime error|Test unit written' "$out/$name.log" | head -n 5
        unit=$(sed -n 's/.*Test unit written to //p' "$out/$name.log" | tail -n 1)
        [ -f "$unit" ] && show_input "$unit"
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
