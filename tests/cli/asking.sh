# What the tests of the command share, to be sourced from the project's folder: $shmcoll the command, $work a folder that goes at the end, counts.
# shellcheck shell=sh
shmcoll=$(realpath "${SHMCOLL:-build/release/shmcoll}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAILED: $*"; }

# refuses CODE PATTERN ARGUMENTS...: that exit code, nothing on standard output, one line on standard error that matches.
refuses() {
    code=$1 pattern=$2
    shift 2
    timeout 120 "$shmcoll" "$@" >"$work/out" 2>"$work/err"
    got=$?
    lines=$(wc -l <"$work/err")
    if [ $got -ne "$code" ] || [ "$lines" -ne 1 ] || [ -s "$work/out" ] || ! grep -qE "^shmcoll: .*($pattern)" "$work/err"; then
        fail "'$*' gave exit code $got (expected $code), $lines lines: $(head -c 300 "$work/err")"
    else
        pass
    fi
}

# says PATTERN ARGUMENTS...: success, and standard output matches.
says() {
    pattern=$1
    shift
    if timeout 240 "$shmcoll" "$@" >"$work/out" 2>"$work/err" && grep -qE -- "$pattern" "$work/out"; then
        pass
    else
        fail "'$*' does not say '$pattern': $(head -c 400 "$work/out" "$work/err")"
    fi
}

# equal WHAT A B: the same word, and not none.
equal() {
    if [ -n "$2" ] && [ "$2" = "$3" ]; then pass; else fail "$1: '$2' is not '$3'"; fi
}

# The totals, and the exit code.
finish() {
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
}
