# The table of run_bench.sh: medians over the rounds, and ratios taken within a round as median (least..most).
# Input: round procs name row, where row is a JSON object of ours.
function field(name,    text) {
    if (!match($0, "\"" name "\":[-+0-9.e]+")) return 0
    text = substr($0, RSTART, RLENGTH)
    sub(/.*:/, "", text)
    return text + 0
}
{
    key = $2 " " field("size_bytes")
    if (!(key in seen)) { seen[key] = 1; keys[++key_count] = key }
    value[key, $3, $1] = field("time_s")
    if ($3 == "shmcoll" && field("memcpy_cold_s") > 0) value[key, "memcpy", $1] = field("memcpy_cold_s")
    if ($3 == "shmcoll" && field("handover_ns") > 0) value[key, "handover", $1] = field("handover_ns") * 1e-9
    if ($1 > rounds) rounds = $1
}

function sort_values(n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = v[i]
        for (j = i - 1; j >= 1 && v[j] > x; j--) v[j + 1] = v[j]
        v[j + 1] = x
    }
}
function median(n) { return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
function time_text(key, name,    r, n) {
    for (r = 1; r <= rounds; r++) if ((key, name, r) in value) v[++n] = value[key, name, r]
    if (!n) return "-"
    sort_values(n)
    return sprintf("%.2f", median(n) * 1e6)
}
function ratio_text(key, name,    r, n) {
    for (r = 1; r <= rounds; r++)
        if ((key, name, r) in value && (key, "shmcoll", r) in value) v[++n] = value[key, "shmcoll", r] / value[key, name, r]
    if (!n) return "-"
    sort_values(n)
    return sprintf("%.2f (%.2f..%.2f)", median(n), v[1], v[n])
}
function size_text(bytes) {
    if (bytes >= 1048576) return bytes / 1048576 "M"
    return bytes >= 1024 ? bytes / 1024 "K" : bytes
}

END {
    printf "\nBroadcast from cold buffers, us: median of %d rounds. ", rounds
    print "Ratios: shmcoll to each within a round, median (least..most)"
    format = "%5s %6s %10s %10s %10s %10s  %-18s %-18s %-18s %-18s %-18s\n"
    printf format, "procs", "size", "shmcoll", "ompi", "ompi-sm", "mpich", "/ompi", "/ompi-sm",
        "/mpich", "/cold memcpy", "/hand-over"
    for (k = 1; k <= key_count; k++) {
        split(keys[k], part, " ")
        printf format, part[1], size_text(part[2]), time_text(keys[k], "shmcoll"), time_text(keys[k], "openmpi-default"),
            time_text(keys[k], "openmpi-sm"), time_text(keys[k], "mpich"), ratio_text(keys[k], "openmpi-default"),
            ratio_text(keys[k], "openmpi-sm"), ratio_text(keys[k], "mpich"), ratio_text(keys[k], "memcpy"),
            ratio_text(keys[k], "handover")
    }
}
