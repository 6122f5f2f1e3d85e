#!/bin/sh
# The regret of best: run_regret.sh BUILD [--quick]. Calibrates, then holds the lane that best takes for each size against
# every protocol with a grid of fragments and queues, two ranks, private cold buffers, by turns. Under four minutes, --quick half one.
set -u
build=$1 quick=${2:-} short=8,64,512,1K,4K,8K,16K,32K,64K,128K,256K,512K,1M long=4M,16M,64M
[ "$quick" = --quick ] && short=8,1K,64K,1M long=16M
node=$(mktemp --suffix=.yaml) || exit 1
trap 'rm -f "$node"' EXIT
timeout 120 "$build/shmcoll" calibrate -q -o "$node" >/dev/null || exit 1
timeout 120 "$build/shmcoll" compare bcast --node "$node" --protocol best --regret --size $short --time-limit 1s
timeout 120 "$build/shmcoll" compare bcast --node "$node" --protocol best --regret --size $long --time-limit 3s
