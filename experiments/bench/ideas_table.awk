# The table of run_ideas.sh: without/with of a round as median over rounds (least-most). With -v csv=FILE there too.
{
    key = text("idea") SUBSEP field("size_bytes") SUBSEP text("buffer_memory")
    if (!(key in seen)) { seen[key] = 1; keys[++count] = key }
    time[key, text("protocol"), field("round")] = field("time_s")
    if (field("round") > rounds) rounds = field("round")
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
        mid = median(v, n)
        split(keys[k], part, SUBSEP)
        size = size_text(part[2])
        printf "%-38s %8s %6s %10.2f  %.2f(%.2f-%.2f)\n", part[1], part[3], size, median(us, n), mid, v[1], v[n]
        if (csv) printf "%s,%s,%s,%.4g,%.4g,%.4g,%d\n", part[1], part[3], part[2], mid, v[1], v[n], n >csv
    }
}
