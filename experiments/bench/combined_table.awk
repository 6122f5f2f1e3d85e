# The table of run_combined.sh: combined to er of a launch, as median over launches (least-most). With -v csv=FILE there too.
{
    split(text("protocol"), label, "-")
    key = field("procs") SUBSEP label[2] SUBSEP field("size_bytes")
    if (!(key in seen)) { seen[key] = 1; keys[++count] = key }
    time[key, label[1], field("round")] = field("time_s")
    if (field("round") > rounds) rounds = field("round")
}
END {
    printf "\nAllgather by schedule over combined, to the same over er; median of %d launches (least-most)\n", rounds
    printf "%5s %-20s %8s %10s  %s\n", "procs", "algorithm", "block", "er, us", "combined/er"
    if (csv) print "procs,algorithm,size_bytes,ratio,least,most,rounds" >csv
    for (k = 1; k <= count; k++) {
        n = 0
        for (r = 1; r <= rounds; r++)
            if (time[keys[k], "er", r] > 0 && time[keys[k], "combined", r] > 0) {
                us[++n] = time[keys[k], "er", r] * 1e6
                v[n] = time[keys[k], "combined", r] / time[keys[k], "er", r]
            }
        if (!n) continue
        mid = median(v, n)
        all[++points] = mid
        split(keys[k], part, SUBSEP)
        printf "%5d %-20s %8d %10.2f  %.2f(%.2f-%.2f)\n", part[1], part[2], part[3], median(us, n), mid, v[1], v[n]
        if (csv) printf "%s,%s,%s,%.4g,%.4g,%.4g,%d\n", part[1], part[2], part[3], mid, v[1], v[n], n >csv
    }
    mid = median(all, points)
    printf "of %d points: median %.2f, most %.2f\n", points, mid, all[points]
}
