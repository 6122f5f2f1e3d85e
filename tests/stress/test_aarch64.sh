#!/bin/sh
# The model and the kernels compiled for aarch64, and their tests run under qemu's emulation: nothing may assume x86, be it
# instructions, headers, its clock or its page tables. Emulation on a strongly ordered host does not show weak ordering: that
# the orderings suffice is argued at each pair of labels (R1, A1) and looked at by ThreadSanitizer; `make layers` sees to it
# that no access escapes kernels/atomics.h. Emulated ranks cannot reach into each other's memory either: where buffers are
# private and ranks are processes, what takes the place of those protocols is tested.
#
# The two foreign libraries come as Debian packages, unpacked below build/ and not installed.
set -eu
root=$PWD/build/aarch64-root
lib=$root/usr/lib/aarch64-linux-gnu
packages="libnuma1 libnuma-dev libcmocka0 libcmocka-dev"
tests="test_wait test_bcast_basic test_bcast_peers test_lanes test_crowded test_bcast_pairs test_allgather_schedule"

skip() { echo "skipped: $1"; exit 77; }
command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for aarch64"
command -v qemu-aarch64 >/dev/null || skip "no emulator"

# apt_arm64 ARGUMENTS...: apt-get with lists and state of its own, as if this were an arm64 system.
apt_arm64() {
    apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$root/apt" -o Dir::State::status=/dev/null \
        -o Dir::Cache="$root/apt" -o APT::Sandbox::User=root -o Acquire::Languages=none "$@" >>"$root/apt.log" 2>&1
}
if [ ! -e "$lib/libnuma.so" ] || [ ! -e "$lib/libcmocka.so" ]; then
    mkdir -p "$root/apt/lists/partial" "$root/apt/archives/partial"
    apt_arm64 update || skip "no lists of arm64 packages, see $root/apt.log"
    # shellcheck disable=SC2086
    (cd "$root" && apt_arm64 download $packages) || skip "no arm64 packages, see $root/apt.log"
    for deb in "$root"/*.deb; do dpkg-deb -x "$deb" "$root"; done
fi

set --
for test in $tests; do set -- "$@" "build/aarch64/tests/kernels/$test"; done
make --no-print-directory -s -j"$(nproc)" BUILD=build/aarch64 CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar \
    LIB_SRC="$(find model kernels -name '*.c' -not -path 'model/formats/*' | tr '\n' ' ')" PKG_CFLAGS="-I$root/usr/include" GSL_LIBS= \
    LIB_LIBS="-L$lib -Wl,-rpath,$lib -lnuma -lm -lpthread" "$@"

failed=0
for program; do
    echo "$program"
    QEMU_LD_PREFIX=/usr/aarch64-linux-gnu qemu-aarch64 "$program" || failed=1
done
exit $failed
