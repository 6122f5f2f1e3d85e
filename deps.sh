#!/bin/sh
# Sees to it that what a group of targets needs is there: deps.sh tools|build|check|guest|figures|stress|bench ...
# Debian packages are installed when apt-get and root are at hand; otherwise the missing ones are named.
# With the group build, the compiler flags of the libraries are written to standard output as a makefile.
set -u

have_lib() { command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$1"; }
have_header() { [ -e "/usr/include/$1" ]; }
have_cmd() { command -v "$1" >/dev/null 2>&1; }

# The packages of a group that are missing, one a line.
missing() {
    case $1 in
    tools)
        have_cmd make || echo make
        have_cmd gcc || echo gcc
        have_header stdio.h || echo libc6-dev
        ;;
    build)
        have_cmd pkg-config || echo pkg-config
        have_lib hwloc || echo libhwloc-dev
        have_lib numa || echo libnuma-dev
        have_lib yaml-0.1 || echo libyaml-dev
        have_lib jansson || echo libjansson-dev
        have_lib gsl || echo libgsl-dev
        have_header metis.h || echo libmetis-dev
        have_header scotch-int64/scotch.h || echo libscotch-dev
        ;;
    check)
        have_lib cmocka || echo libcmocka-dev
        have_cmd man || echo man-db
        have_cmd groff || echo groff-base
        have_cmd gnuplot || echo gnuplot-nox
        ;;
    guest)
        have_cmd qemu-system-x86_64 || echo qemu-system-x86
        have_cmd cpio || echo cpio
        have_cmd mkfs.ext4 || [ -x /usr/sbin/mkfs.ext4 ] || [ -x /sbin/mkfs.ext4 ] || echo e2fsprogs
        ;;
    figures)
        have_cmd gnuplot || echo gnuplot-nox
        ;;
    stress)
        have_cmd clang || echo clang
        have_cmd aarch64-linux-gnu-gcc || printf '%s\n' gcc-aarch64-linux-gnu libc6-dev-arm64-cross
        have_cmd qemu-aarch64 || echo qemu-user
        have_cmd clang && [ -z "$(find /usr/lib -name 'libclang_rt.fuzzer*.a' 2>/dev/null | head -n 1)" ] &&
            echo "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
        ;;
    bench)
        have_cmd mpicc.openmpi || printf '%s\n' libopenmpi-dev openmpi-bin
        have_cmd mpicc.mpich || printf '%s\n' libmpich-dev mpich
        have_cmd smpirun || echo libsimgrid-dev
        ;;
    *)
        echo "deps.sh: no group '$1': use tools, build, check, guest, figures, stress or bench" >&2
        exit 2
        ;;
    esac
    return 0
}

all_missing() {
    for group; do missing "$group" || exit $?; done | sort -u | tr '\n' ' '
}

install_packages() {
    export DEBIAN_FRONTEND=noninteractive
    # A server that does not answer at once is asked again; who else installs something is waited for.
    patient="-o Acquire::Retries=5 -o DPkg::Lock::Timeout=600"
    # shellcheck disable=SC2086
    apt-get $patient install -y --no-install-recommends "$@" >&2 && return 0
    # shellcheck disable=SC2086
    apt-get $patient update >&2 && apt-get $patient install -y --no-install-recommends "$@" >&2
}

[ $# -gt 0 ] || { echo "usage: deps.sh tools|build|check|guest|figures|stress|bench ..." >&2; exit 2; }
# Twice: what clang's runtime package is called is known only once clang is there.
for round in 1 2; do
    lack=$(all_missing "$@") || exit $?
    [ -n "$lack" ] || break
    if ! have_cmd apt-get || [ "$(id -u)" -ne 0 ]; then
        echo "deps.sh: missing packages: $lack- install them (as root: apt-get install -y --no-install-recommends $lack) and repeat" >&2
        exit 1
    fi
    # shellcheck disable=SC2086
    install_packages $lack || { echo "deps.sh: apt-get could not install: $lack- see its messages above" >&2; exit 1; }
done
lack=$(all_missing "$@")
[ -z "$lack" ] || { echo "deps.sh: still missing after installation: $lack" >&2; exit 1; }

case " $* " in
*" build "*)
    libraries="hwloc yaml-0.1 jansson"
    # Neither has a pkg-config file. Scotch by its archive: the shared library of 64-bit integers has the name of that of 32-bit ones.
    partitioners="-lmetis -l:scotch-int64/libscotch.a -lscotcherr"
    # shellcheck disable=SC2086
    printf 'PKG_CFLAGS := %s\nLIB_LIBS := %s -lnuma -lm -lpthread\nGSL_LIBS := %s\n' \
        "$(pkg-config --cflags $libraries gsl)" "$(pkg-config --libs $libraries) $partitioners" "$(pkg-config --libs gsl)"
    ;;
esac
