#!/bin/sh
# Packs the guest's file system: make_initramfs.sh BUILD ARCHIVE PLAN. Our programs, the libraries they are linked
# with, and the plan of what to run.
set -eu
build=$1 archive=$2 plan=$3
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/bin"
cp "$plan" "$root/plan"
cp "$build/tests/numa_guest/guest_init" "$root/init"
tr ' ' '\n' <"$plan" | grep '^/bin/' | sort -u | while read -r program; do
    name=${program#/bin/}
    for file in "$build/$name" "$build/tests/kernels/$name" "$build/tests/numa_guest/$name"; do
        [ -f "$file" ] && cp "$file" "$root/bin/$name"
    done
    [ -f "$root/bin/$name" ] || { echo "no program $name under $build" >&2; exit 1; }
done
ldd "$root"/init "$root"/bin/* | grep -o '/[^ ]*\.so[^ ]*' | sort -u | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
done
(cd "$root" && find . | sort | cpio -o -H newc --quiet) >"$archive"
