#!/bin/sh
# Fuzzes the readers of what others write, with AddressSanitizer: run_fuzz.sh [SECONDS a target, default 60].
# Inputs follow from SHMCOLL_TEST_SEED, default 1, and from what is committed: the same ones each time in a fresh clone, to 10000 for
# each second, fewer where the machine is slower. 0 draws a seed.
# Corpora begin with make_seeds.sh and tests/fuzz/corpus (pick_corpus.sh) and grow in build/fuzz, so that a later run goes on from there;
# an input that fails is kept beside them and named.
# Ends with "N passed, N failed"; 77 where clang or its fuzzer is missing.
set -u
seconds=${1:-60} seed=${SHMCOLL_TEST_SEED:-1}
# An input that takes longer is too slow for a reader: processor time, for others may use the machine.
slow_s=120
# Where code lies tells the fuzzer something, too.
still='setarch -R'
$still true 2>/dev/null || still=
cd "$(dirname "$0")/../.." || exit 1
. tests/fuzz/show_input.sh
out=build/fuzz
mkdir -p $out

printf 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n); int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { (void)d; (void)n; return 0; }\n' >$out/probe.c
clang -fsanitize=fuzzer,address -o $out/probe $out/probe.c 2>/dev/null || { echo "fuzz: clang or its fuzzer runtime is missing"; exit 77; }

sources='model/formats/*.c model/node.c model/network.c model/network_shape.c model/fat_tree.c model/tree.c model/tree_joined.c model/goal_*.c model/schedule*.c model/schedule/*.c
    model/numbering.c model/traffic.c sim/goal_*.c sim/sim_fabric.c sim/sim_network_trace.c sim/sim_radix.c sim/sim_memor*.c
    sim/sim_bandwidth*.c sim/sim_queue.c experiments/sizes.c experiments/host_list.c experiments/fit_rows.c'
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
# Only the input may say what is read.
unset HWLOC_XMLFILE HWLOC_SYNTHETIC
# fuzz PROGRAM CORPUS FOLDERS...: 0 if no input fails. Who has taken long by the clock is judged by the processor time it takes alone.
fuzz() {
    program=$1 corpus=$2 unit=
    shift 2
    # By name, for each file system lists a folder in an order of its own; and nothing is read that comes meanwhile.
    find "$@" -type f | LC_ALL=C sort | tr '\n' ',' | sed 's/,$//' >"$out/$name.inputs"
    ASAN_OPTIONS=detect_leaks=$leaks $still "$out/$program" -seed="$seed" -seed_inputs="@$out/$name.inputs" -reload=0 -max_total_time="$seconds" \
        -runs=$runs -timeout=$((10 * slow_s)) -rss_limit_mb=1024 -max_len=4096 -print_final_stats=1 -artifact_prefix="$out/$name-" $dictionary \
        "$corpus" >"$out/$name.log" 2>&1 && return 0
    unit=$(sed -n 's/.*Test unit written to //p' "$out/$name.log" | tail -n 1)
    case $unit in
    *-timeout-*) (ulimit -t $slow_s && ASAN_OPTIONS=detect_leaks=$leaks "$out/$program" -timeout=0 "$unit" >>"$out/$name.log" 2>&1) ;;
    *) return 1 ;;
    esac
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
    dictionary= committed= leaks=1 runs=$((10000 * seconds))
    [ -d "tests/fuzz/corpus/$name" ] && committed=tests/fuzz/corpus/$name
    # hwloc itself leaks where it gives up, so not for long either; leaks of ours are found by the tests.
    case $name in hwloc_*) leaks=0 runs=12000 ;; esac
    [ -e "$out/seeds/$name.dict" ] && dictionary=-dict=$out/seeds/$name.dict
    if fuzz "$program" "$corpus" "$out/seeds/$name" $committed; then
        passed=$((passed + 1))
        echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$name.log") inputs from seed $seed, at most $seconds s"
    else
        failed=$((failed + 1))
        echo "fuzz $name: FAILED, see $out/$name.log"
        grep -E 'ERROR|SUMMARY|runtime error|Test unit written' "$out/$name.log" | head -n 5
        [ -f "$unit" ] && show_input "$unit"
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
