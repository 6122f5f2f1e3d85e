#!/bin/sh
# Who may include whom, and what a library must not do; one check a directory and rule. Ends with "N passed, N failed".
set -u
passed=0 failed=0
foreign='hwloc|hwloc/.*|yaml|jansson|numa|numaif|gsl/.*|cmocka|mpi|metis|scotch|scotch-int64/.*|sqlite3'

verdict() { # WHAT OFFENDERS
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'layers: %s:\n%s\n' "$1" "$2"
    fi
}
files() { find "$@" -maxdepth 1 -name '*.[ch]' 2>/dev/null | sort; }
# ours LAYER REGEX FILES...: own headers included by the layer must match the regex.
ours() {
    layer=$1 allowed=$2
    shift 2
    [ $# -eq 0 ] || verdict "$layer may not include" "$(grep -nE '^ *# *include *"' /dev/null "$@" | grep -vE "include *\"($allowed)\"")"
}
# theirs LAYER REGEX FILES...: of the foreign libraries only those matching the regex.
theirs() {
    layer=$1 allowed=$2
    shift 2
    [ $# -eq 0 ] || verdict "$layer may not use" \
        "$(grep -nE "^ *# *include *<($foreign)\.h>" /dev/null "$@" | grep -vE "include *<($allowed)\.h>")"
}
# Libraries neither print nor end the process. _exit is left: a child made by the launcher ends by it.
quiet() {
    layer=$1
    shift
    [ $# -eq 0 ] || verdict "$layer prints or exits" \
        "$(grep -nE '(^|[^a-z_])(printf|puts|putchar|perror|fprintf *\( *std(out|err)|exit|abort|err|errx|warn) *\(' /dev/null "$@" | grep -vE ':[0-9]+: *(/?\*)')"
}

core=$(files model model/protocol model/channel model/schedule) formats=$(files model/formats) sim=$(files sim) partition=$(files partition) kernels=$(files kernels kernels/channels)
placement=$(echo "$kernels" | grep -E '/placement\.c$')
others=$(echo "$kernels" | grep -vE '/placement\.c$')
# shellcheck disable=SC2086
{
    ours model 'model/([a-z_]+|(protocol|channel|schedule)/[a-z_]+)\.h' $core
    ours model/formats 'model/.*' $formats
    ours sim '(sim/.*|model/([a-z_]+|(protocol|channel|schedule)/[a-z_]+)\.h)' $sim
    ours partition '(partition/.*|model/([a-z_]+|(protocol|channel|schedule)/[a-z_]+)\.h)' $partition
    ours kernels '(kernels/.*|model/([a-z_]+|(protocol|channel|schedule)/[a-z_]+)\.h)' $kernels
    theirs model 'none' $core
    theirs model/formats 'hwloc|hwloc/.*|yaml|jansson' $formats
    theirs sim 'none' $sim
    theirs partition 'metis|scotch-int64/scotch' $partition
    theirs kernels/placement.c 'numa|numaif' $placement
    theirs kernels 'none' $others
    theirs experiments '(hwloc|hwloc/.*|yaml|jansson|numa|numaif|gsl/.*|sqlite3)' $(files experiments)
    quiet model $core
    quiet model/formats $formats
    quiet sim $sim
    quiet partition $partition
    quiet kernels $kernels
}
# Shared words are read and written by the named operations only (anything else does not compile, as a word is a structure),
# and nothing else is atomic: what is ordered, and what is not, is seen in one file.
atomics=$(grep -nE 'atomic_(value|load|store|exchange|compare|fetch|init|flag|thread_fence|signal_fence)|__atomic_|__sync_|_Atomic|memory_order|stdatomic' \
    /dev/null $kernels $(files experiments) | grep -vE '^kernels/atomics\.h:|:[0-9]+: *(/?\*)')
verdict "atomic accesses outside kernels/atomics.h" "$atomics"
# Whatever has a name in the file system could be left behind, or be met by another program's.
names=$(grep -nE '(^|[^a-z_])(shm_open|sem_open|mkstemp|mkostemp|mkdtemp|tmpfile|mkfifo|shmget|msgget|semget) *\(|"/(dev/shm|tmp)' \
    /dev/null $core $formats $sim $partition $kernels | grep -vE ':[0-9]+: *(/?\*)')
verdict "named shared memory or temporary files of the libraries" "$names"
mains=$(grep -lE '^int main *\(' $(find . -path ./build -prune -o -path ./out -prune -o -name '*.c' -print) 2>/dev/null |
    grep -vE '^\./(experiments/main\.c|experiments/bench/|tests/)')
verdict "main() outside experiments/main.c, experiments/bench/ and tests/" "$mains"
twins=$(find . -path ./build -prune -o -path ./out -prune -o -name "*.[ch]" -print | sed "s|.*/||" | sort | uniq -d)
verdict "file names that are not unique" "$twins"
long=$(find . -path ./build -prune -o -path ./out -prune -o -name '*.[ch]' -exec awk 'END { if (NR > 400) print FILENAME ": " NR " lines" }' {} \;)
verdict "files above 400 lines" "$long"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
