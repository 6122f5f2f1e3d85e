#!/bin/sh
# Boots a guest of each topology named (all of them without a name) under software emulation and runs our programs in it:
# run_guest.sh [TOPOLOGY...]. Logs stay in build/guest/TOPOLOGY.log. Ends with "N passed, N failed"; 77 with the reason if
# the emulator or the kernel cannot be had. Times in such a guest mean nothing; domains, distances and pages are real.
set -u
cd "$(dirname "$0")/../.." || exit 1
PATH=$PATH:/usr/sbin:/sbin
here=tests/numa_guest work=build/guest limit_s=${SHMCOLL_GUEST_LIMIT_S:-1200}
passed=0 failed=0

skip() { echo "guest: skipped: $*"; exit 77; }
told() { awk -v name="$1" -v want="$2" -f $here/topology.awk $here/topologies; }

# What the guest runs. Not test_wait, test_run and test_kill: they judge times. The product of the broadcast's parameters is the host's.
# With SHMCOLL_TEST_BRIEF of the broadcasts only what moves through every protocol.
plan() {
    rest=$(told "$1" rest)
    printf '%s\n' "/bin/shmcoll topo" "/bin/shmcoll topo --format csv" "/bin/guest_audit $(told "$1" homes)" \
        ${rest:+"/bin/guest_confine $rest /bin/guest_audit $(told "$1" confined)"} \
        "/bin/guest_pages $(told "$1" homes)" /bin/test_placement /bin/test_embedding \
        "/bin/test_bcast_basic${SHMCOLL_TEST_BRIEF:+ moves_bytes}"
}

# The console is the log. The kernel says nothing but its last words, and ends the emulator with them.
boot() {
    booted=$(date +%s)
    # shellcheck disable=SC2046
    timeout --foreground -k 60 "$limit_s" qemu-system-x86_64 -accel tcg,thread=multi -cpu max $(told "$1" qemu) \
        -nodefaults -no-reboot -display none -serial stdio -kernel $work/vmlinuz -initrd "$scratch/initramfs" \
        -append "console=ttyS0 loglevel=1 panic=-1 oops=panic" \
        -drive "file=$scratch/disk,format=raw,if=none,id=disk" -device nvme,serial=disk,drive=disk </dev/null >"$log" 2>&1
    code=$? why=
    # 137: it had to be killed, by whomever.
    case $code in 124 | 137) [ $(($(date +%s) - booted)) -lt "$limit_s" ] || why=", stopped after $limit_s s" ;; esac
    [ $code -eq 0 ] || echo "guest $1: the emulator ended with $code$why"
    return $code
}

# What the command saw in the guest against what the emulator was told: a check each for cpus, memory and distances.
topo_check() {
    tr -d '\r' <"$log" | sed -n '/^guest: begin .* csv$/,/^guest: end /p' |
        awk -v told="$(awk -v name="$1" '$1 == name { print $3 }' $here/topologies)" -f $here/topo_seen.awk >"$scratch/seen"
    told "$1" expect >"$scratch/told"
    for what in cpu domain distance; do
        grep "^$what" "$scratch/told" >"$scratch/told.$what"
        grep "^$what" "$scratch/seen" >"$scratch/seen.$what"
        if [ -s "$scratch/told.$what" ] && diff "$scratch/told.$what" "$scratch/seen.$what" >"$scratch/diff"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "guest $1: $what: told (<) is not seen (>)"
            cat "$scratch/diff"
        fi
    done
}

guest_run() {
    log=$work/$1.log start=$(date +%s)
    plan "$1" >"$scratch/plan"
    $here/make_initramfs.sh build/release "$scratch/initramfs" "$scratch/plan" || { failed=$((failed + 1)); return; }
    rm -f "$scratch/disk"
    if ! truncate -s 64M "$scratch/disk" || ! mkfs.ext4 -q -F "$scratch/disk"; then
        failed=$((failed + 1))
        return
    fi
    boot "$1" || failed=$((failed + 1))
    verdict=$(awk -v name="$1" -f $here/judge.awk "$log")
    echo "$verdict" | sed '$d'
    # shellcheck disable=SC2046
    set -- "$1" $(echo "$verdict" | tail -n 1)
    passed=$((passed + $2)) failed=$((failed + $3))
    topo_check "$1"
    tr -d '\r' <"$log" | sed -n "s/^pages /guest $1: /p"
    echo "guest $1: $2 of its tests passed, $(($(date +%s) - start)) s"
    [ "$3" -eq 0 ] || { echo "--- end of $log"; tail -n 40 "$log"; }
}

[ "$(uname -m)" = x86_64 ] || skip "its programs are those of this host, and the kernel is for x86_64"
for needed in qemu-system-x86_64 cpio mkfs.ext4; do
    command -v $needed >/dev/null 2>&1 || skip "no $needed (./deps.sh guest installs it)"
done
why=$($here/fetch_kernel.sh $work) || skip "$why"
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(awk '!/^#/ { print $1 }' $here/topologies)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
for topology; do
    told "$topology" homes >/dev/null || { echo "guest: no topology '$topology' in $here/topologies"; exit 2; }
    guest_run "$topology"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
