# The tables of run_p2p.sh, from the rows of mpi_p2p. Ratios are taken within a launch, where all ran by turns; printed is the
# median over launches (least-most). With -v csv=FILE every ratio goes there too, with -v times=FILE every time.
{
    point = text("algorithm") SUBSEP field("size_bytes")
    who = text("protocol"); mpi = text("mpi"); launch = mpi SUBSEP field("round")
    once(sizes, seen_size, field("size_bytes"))
    once(mpis, seen_mpi, mpi)
    once(launches, seen_launch, launch)
    mpi_of[launch] = mpi
    if (who != "mpi") once(ways, seen_way, who)
    there[text("algorithm"), who] = 1
    time[point, who, launch] = field("time_s")
    time[point, "handover", launch] = field("handover_s")
}
# The median time over the launches, of one MPI only if that is given; 0 if there is none.
function time_of(point, who, only,    i, n, v, part) {
    for (i = 1; i <= launches[0]; i++)
        if ((!only || only == mpi_of[launches[i]]) && time[point, who, launches[i]] > 0)
            v[++n] = time[point, who, launches[i]]
    if (!n) return 0
    mid = median(v, n)
    split(point, part, SUBSEP)
    if (times) printf "%s,%s,%s,%.5g,%.5g,%.5g\n", part[1], part[2], only ? only : who, mid, v[1], v[n] >times
    return mid
}
# Sets mid, least, most of a/b over the launches.
function summary(point, a, b, only,    i, n, v) {
    for (i = 1; i <= launches[0]; i++)
        if ((!only || only == mpi_of[launches[i]]) && time[point, a, launches[i]] > 0 && time[point, b, launches[i]] > 0)
            v[++n] = time[point, a, launches[i]] / time[point, b, launches[i]]
    if (!n) return 0
    mid = median(v, n); least = v[1]; most = v[n]
    return 1
}
function cell(pattern, size, a, b, only) {
    if (!summary(pattern SUBSEP size, a, b, only)) return "-"
    if (csv) printf "%s,%s,%s,%s,%.4g,%.4g,%.4g\n", pattern, size, a, only ? only : b, mid, least, most >csv
    return spread_text(mid, least, most)
}
# Time, rate or bandwidth, as the pattern's figures in the literature have it.
function figure(pattern, size, seconds) {
    if (seconds <= 0) return "-"
    if (pattern == "pingpong") return sprintf("%.3f", seconds * 1e6)
    return size < 4096 ? sprintf("%.2f M/s", 1e-6 / seconds) : sprintf("%.2f GB/s", size / seconds * 1e-9)
}
function absolute(pattern,    k, i, point) {
    printf "\n%s\n", pattern == "pingpong" ? "One way of a ping-pong, us" : "A window of messages: rate, from 4 KiB bandwidth"
    printf "%5s", "size"
    for (i = 1; i <= mpis[0]; i++) printf " %12s", mpis[i]
    for (i = 1; i <= ways[0]; i++) if ((pattern, ways[i]) in there) printf " %12s", ways[i]
    printf "\n"
    for (k = 1; k <= sizes[0]; k++) {
        point = pattern SUBSEP sizes[k]
        printf "%5s", size_text(sizes[k])
        for (i = 1; i <= mpis[0]; i++) printf " %12s", figure(pattern, sizes[k], time_of(point, "mpi", mpis[i]))
        for (i = 1; i <= ways[0]; i++)
            if ((pattern, ways[i]) in there) printf " %12s", figure(pattern, sizes[k], time_of(point, ways[i]))
        time_of(point, "handover")
        printf "\n"
    }
}
function ratios(pattern, way,    k, i) {
    printf "time of %s to\n%5s", way, "size"
    if (pattern == "pingpong") printf " %-16s", "a hand-over"
    else printf " %-16s", "a single copy"
    for (i = 1; i <= mpis[0]; i++) printf " %-16s", mpis[i]
    printf "\n"
    for (k = 1; k <= sizes[0]; k++) {
        printf "%5s %-16s", size_text(sizes[k]), cell(pattern, sizes[k], way, pattern == "pingpong" ? "handover" : "readv")
        for (i = 1; i <= mpis[0]; i++) printf " %-16s", cell(pattern, sizes[k], way, "mpi", mpis[i])
        printf "\n"
    }
}
END {
    if (csv) print "algorithm,size_bytes,what,to,ratio,least,most" >csv
    if (times) print "algorithm,size_bytes,what,time_s,least_s,most_s" >times
    printf "\nMessages between two ranks, warm buffers; ratios of medians within a launch: median over %d launches ", launches[0]
    print "(least-most)"
    n = split("pingpong stream", patterns, " ")
    for (p = 1; p <= n; p++) {
        absolute(patterns[p])
        for (w = 1; w <= ways[0]; w++)
            if (ways[w] != "readv" && (patterns[p], ways[w]) in there) ratios(patterns[p], ways[w])
    }
}
