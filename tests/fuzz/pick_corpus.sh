#!/bin/sh
# Chooses what of the grown corpora is committed: pick_corpus.sh TARGET FOLDER... writes tests/fuzz/corpus/TARGET anew, after run_fuzz.sh.
# Of what the folders reach together, each time the input that adds most, to 60 files of 2 KiB and 28 KiB in all. Inputs that once failed
# are named fixed-*, and stay.
set -eu
name=$1
shift
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/all" "$work/none" "$work/new"
for folder in tests/fuzz/corpus/"$name" build/fuzz/seeds/"$name" "$@"; do
    [ -d "$folder" ] || continue
    find "$folder" -type f -size -2049c -exec cp -t "$work/all" {} +
done
# libFuzzer's record of a merge: how many files, how many of them were there before, which; then by number their sizes and features.
ASAN_OPTIONS=detect_leaks=0 build/fuzz/fuzz_"$name" -set_cover_merge=1 -merge_control_file="$work/merge" "$work/none" "$work/all" \
    >"$work/log" 2>&1
awk -v files_max=60 -v bytes_max=28672 '
    NR == 1 { count = $1; next }
    NR == 2 { next }
    NR <= count + 2 { file[NR - 3] = $0; next }
    $1 == "STARTED" { bytes[$2] = $3 }
    $1 == "FT" { features[$2] = $0 }
    function gain(i,    n, k, part, sum) {
        n = split(features[i], part, " ")
        for (k = 3; k <= n; k++) sum += !(part[k] in reached)
        return sum + 0
    }
    function take_best(    i, k, g, n, part, best, most) {
        for (i = 0; i < count; i++) {
            if (i in taken || total + bytes[i] > bytes_max) continue
            g = gain(i)
            if (g > most) { most = g; best = i }
        }
        if (!most) return 0
        taken[best] = 1
        total += bytes[best]
        print file[best]
        n = split(features[best], part, " ")
        for (k = 3; k <= n; k++) reached[part[k]] = 1
        return 1
    }
    END { while (picked < files_max && take_best()) picked++ }' "$work/merge" >"$work/chosen"
while read -r file; do
    cp "$file" "$work/new/$(sha1sum <"$file" | cut -c 1-12)"
done <"$work/chosen"
mkdir -p tests/fuzz/corpus/"$name"
find tests/fuzz/corpus/"$name" -type f ! -name 'fixed-*' -delete
cp "$work"/new/* tests/fuzz/corpus/"$name"/
echo "$name: $(find "$work/new" -type f | wc -l) of $(find "$work/all" -type f | wc -l) inputs, $(cat "$work"/new/* | wc -c) bytes"
