#!/bin/sh
# make install: what lands where, which symbols the libraries show, and a program that embeds them.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
expect() { # WHAT COMMAND...
    what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        tail -n 20 "$work/log"
    fi
}
prefix=/opt/shmcoll root=$work/root
there=$root$prefix
compiler=${CC:-gcc}
expect "make install" make --no-print-directory -s install PREFIX=$prefix DESTDIR="$root"
for file in bin/shmcoll lib/libshmcoll.a lib/libshmcoll.so lib/libshmcoll.so.0 lib/pkgconfig/shmcoll.pc share/man/man1/shmcoll.1 \
    share/bash-completion/completions/shmcoll share/shmcoll/plots/style.gp include/shmcoll/kernels/comm.h; do
    expect "$file is installed" test -s "$there/$file"
done
symbols() { nm "$@" 2>/dev/null | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' | grep -v '^SHMCOLL_' | LC_ALL=C sort -u; }
grep -v '^#' shmcoll.sym | LC_ALL=C sort -u >"$work/public"
symbols -D --defined-only "$there/lib/libshmcoll.so.0" >"$work/shared"
symbols -g --defined-only "$there/lib/libshmcoll.a" >"$work/static"
expect "the shared library shows the public symbols only" diff "$work/public" "$work/shared"
expect "the static library shows the public symbols only" diff "$work/public" "$work/static"
for symbol in $(cat "$work/public"); do
    grep -rqwE "$symbol" "$there/include/shmcoll" || { failed=$((failed + 1)); echo "FAILED: $symbol is in no public header"; }
done
for header in $(cd "$there/include/shmcoll" && find . -name '*.h'); do
    expect "$header stands alone" "$compiler" -std=c11 -D_GNU_SOURCE -Wall -Werror -fsyntax-only -I"$there/include/shmcoll" -x c "$there/include/shmcoll/$header"
done
cat >"$work/embed.c" <<'END'
#include "kernels/allgather_schedule.h"
#include "model/bcast_cost.h"
#include "partition/mapping.h"
#include <stdio.h>
#include <string.h>
static int gather(void *context, const void *mine, void *all, size_t bytes) { (void)context; memcpy(all, mine, bytes); return 0; }
static int share(void *context, int *fd) { (void)context; (void)fd; return 0; }
int main(void)
{
    struct comm_bootstrap bootstrap = {NULL, gather, share};
    struct comm_config config = comm_config_default(1, 0);
    struct comm *comm;
    char reason[COMM_REASON_BYTES], data[100] = "x";
    struct bcast_costs costs = {1e-9, 50e-9, 100e-9, 10e-9};
    if (comm_create(&config, &bootstrap, &comm, reason) || comm_bcast(comm, data, sizeof data, 0))
        return 1;
    comm_destroy(comm);
    struct endpoint_config ends = endpoint_config_default(1, 0, channel_find("combined"));
    struct endpoint *e;
    struct transfer sent, got;
    char copy[100] = "";
    if (endpoint_create(&ends, &bootstrap, &e, reason) || endpoint_send(e, 0, 7, data, sizeof data, &sent) ||
        endpoint_receive(e, 0, 7, copy, sizeof copy, &got) || endpoint_wait(e, &got) || strcmp(copy, "x") != 0)
        return 1;
    struct schedule ring;
    if (schedule_init(&ring, schedule_find(SCHEDULE_ALLGATHER, "ring"), 1, 0) ||
        allgather_schedule_run(e, "y", copy, 1, &ring, NULL) || copy[0] != 'y')
        return 1;
    endpoint_destroy(e);
    struct schedule bruck;
    struct graph graph;
    struct partition parts;
    struct partition_problem problem = {.graph = &graph, .schedule = &bruck, .parts = 3};
    if (schedule_init(&bruck, schedule_find(SCHEDULE_ALLGATHER, "bruck"), 12, 0) || graph_of_schedule(&graph, &bruck))
        return 1;
    const char *const strategies[] = {"metis-rb", "scotch", "auto"};
    for (int i = 0; i < 3; i++) {
        if (partition_make(partitioner_find(strategies[i]), &problem, &parts, reason, sizeof reason) || parts.cut != 54)
            return 1;
        partition_destroy(&parts);
    }
    printf("f* = %.1f\n", bcast_cost_fragment_opt_bytes(&costs, 16 << 20, 4 << 20));
    return 0;
}
END
PKG_CONFIG_PATH=$there/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=
export PKG_CONFIG_PATH
flags() { pkg-config --define-variable=prefix="$there" "$@" shmcoll; }
# shellcheck disable=SC2046
expect "a program links the shared library" "$compiler" -o "$work/shared.out" "$work/embed.c" $(flags --cflags) -D_GNU_SOURCE $(flags --libs)
expect "and runs" sh -c "LD_LIBRARY_PATH='$there/lib' '$work/shared.out' | grep -q 'f\* = 14481.5'"
# shellcheck disable=SC2046
expect "a program links the static library" "$compiler" -o "$work/static.out" "$work/embed.c" $(flags --cflags) -D_GNU_SOURCE \
    "$there/lib/libshmcoll.a" $(flags --static --libs-only-l | sed 's/-lshmcoll//')
expect "and runs" sh -c "'$work/static.out' | grep -q 'f\* = 14481.5'"
expect "the installed command draws" "$there/bin/shmcoll" figure 6 -o "$work/figures"
for file in csv gp pdf svg png; do
    expect "figure6.$file is there" test -s "$work/figures/figure6.$file"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
