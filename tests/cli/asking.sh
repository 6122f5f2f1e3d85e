# What the tests of the command share, to be sourced from the project's folder: $shmcoll the command, $work a folder that goes at the end, counts.
# shellcheck shell=sh
shmcoll=$(realpath "${SHMCOLL:-build/release/shmcoll}")
# A comma would be read and written in numbers where a locale has it so.
LC_ALL=C
export LC_ALL
# Only what hangs is stopped: how long a command takes is no verdict, and machines may be slow or shared with many.
limit_s=1200
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAILED: $*"; }

# refuses CODE PATTERN ARGUMENTS...: that exit code, nothing on standard output, one line on standard error that matches.
refuses() {
    code=$1 pattern=$2
    shift 2
    timeout "$limit_s" "$shmcoll" "$@" >"$work/out" 2>"$work/err"
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
    if timeout "$limit_s" "$shmcoll" "$@" >"$work/out" 2>"$work/err" && grep -qE -- "$pattern" "$work/out"; then
        pass
    else
        fail "'$*' does not say '$pattern': $(head -c 400 "$work/out" "$work/err")"
    fi
}

# equal WHAT A B: the same word, and not none.
equal() {
    if [ -n "$2" ] && [ "$2" = "$3" ]; then pass; else fail "$1: '$2' is not '$3'"; fi
}

# within SECONDS COMMAND...: the command has succeeded before they were over.
within() {
    end_s=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -lt "$end_s" ] || return 1
        sleep 0.1
    done
}

# Names in shared memory, but for those of MPI programs that may run beside.
names() { ls /dev/shm 2>/dev/null | grep -vE '^(vader_segment|sm_segment|mpich_shar_tmp|psm2_shm|sem\.)'; }
no_name_beyond() { ! names | grep -vxqF "$1"; }

# no_name_left NAMES: in shared memory there are these, and no others that stay: what is forgotten does, while others' come and go.
no_name_left() { within 60 no_name_beyond "$1"; }

# The totals, and the exit code.
finish() {
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
}
