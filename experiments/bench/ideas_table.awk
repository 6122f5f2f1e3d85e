# The table of run_ideas.sh: without/with of a round as median over rounds (least-most). With -v csv=FILE there too.
function text(name,    t) {
    if (!match($0, "\"" name "\":\"[^\"]*\"")) return ""
    t = substr($0, RSTART, RLENGTH - 1)
    sub(/^[^:]*:"/, "", t)
    return t
}
function field(name,    t) {
    match($0, "\"" name "\":[-+0-9.e]+")
    t = substr($0, RSTART, RLENGTH)
    sub(/.*:/, "", t)
    return t + 0
}
{
    key = text("idea") SUBSEP field("size_bytes") SUBSEP text("buffer_memory")
    if (!(key in seen)) { seen[key] = 1; keys[++count] = key }
    time[key, text("protocol"), field("round")] = field("time_s")
    if (field("round") > rounds) rounds = field("round")
}
function size_text(bytes) {
    if (bytes >= 1048576) return bytes / 1048576 "M"
    return bytes >= 1024 ? bytes / 1024 "K" : bytes
}
END {
    printf "What each idea brought, two ranks, cold buffers: time without it to time with it, "
    printf "median of %d launches (least-most)\n", rounds
    printf "%-38s %8s %6s %10s  %s\n", "idea", "buffers", "size", "with, us", "without/with"
    if (csv) print "idea,buffer_memory,size_bytes,ratio,least,most,rounds" >csv
    for (k = 1; k <= count; k++) {
        n = 0
        for (r = 1; r <= rounds; r++)
            if (time[keys[k], "with", r] > 0 && time[keys[k], "without", r] > 0) {
                us[++n] = time[keys[k], "with", r] * 1e6
                v[n] = time[keys[k], "without", r] / time[keys[k], "with", r]
            }
        if (!n) continue
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && v[j] < v[j - 1]; j--) {
                x = v[j]; v[j] = v[j - 1]; v[j - 1] = x
                x = us[j]; us[j] = us[j - 1]; us[j - 1] = x
            }
        mid = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
        split(keys[k], part, SUBSEP)
        size = size_text(part[2])
        printf "%-38s %8s %6s %10.2f  %.2f(%.2f-%.2f)\n", part[1], part[3], size, us[int((n + 1) / 2)], mid, v[1], v[n]
        if (csv) printf "%s,%s,%s,%.4g,%.4g,%.4g,%d\n", part[1], part[3], part[2], mid, v[1], v[n], n >csv
    }
}
