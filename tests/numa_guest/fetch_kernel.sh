#!/bin/sh
# Puts Debian's kernel for virtual machines at DIRECTORY/vmlinuz: fetch_kernel.sh DIRECTORY. Taken out of its package,
# never installed; kept for the next time. Says why and ends with 1 if it cannot be had.
set -u
directory=$1
[ -s "$directory/vmlinuz" ] && exit 0
mkdir -p "$directory" && scratch=$(mktemp -d "$directory/fetch.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

image() {
    apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1
}
download() {
    name=$(image)
    [ -n "$name" ] && (cd "$scratch" && timeout 120 apt-get download "$name" >download.log 2>&1)
}

command -v apt-get >/dev/null 2>&1 || { echo "no apt-get to download the kernel's package with"; exit 1; }
if ! download; then
    [ "$(id -u)" -eq 0 ] && timeout 120 apt-get update >"$scratch/update.log" 2>&1
    download || {
        echo "apt-get cannot download a kernel (linux-image-cloud-amd64): $(grep -h '^E:' "$scratch"/*.log | head -n 1)"
        exit 1
    }
fi
if ! dpkg-deb --fsys-tarfile "$scratch"/linux-image-*.deb | tar -x -C "$scratch" --wildcards './boot/vmlinuz-*' ||
    ! mv "$scratch"/boot/vmlinuz-* "$directory/vmlinuz"; then
    echo "no kernel in $(basename "$scratch"/*.deb)"
    exit 1
fi
