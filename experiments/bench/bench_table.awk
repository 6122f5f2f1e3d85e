# The tables of run_bench.sh, from the rows of mpi_compare. Ratios are taken within a launch, where all ran by turns; each
# round's is the median over its launches (to an MPI: that one launch), printed is the median over rounds (least-most).
# With -v csv=FILE every ratio goes there too; -v title=COLLECTIVE, Broadcast if none is given.
{
    point = text("buffer_memory") SUBSEP field("procs") SUBSEP field("size_bytes")
    who = text("protocol"); mpi = text("mpi"); round = field("round")
    once(points, seen_point, point)
    once(mpis, seen_mpi, mpi)
    if (who != "mpi" && who != "best") once(protocols, seen_protocol, who)
    there[text("buffer_memory"), field("procs"), who] = 1
    time[point, who, mpi, round] = field("time_s")
    if (field("memcpy_cold_s")) time[point, "memcpy", mpi, round] = field("memcpy_cold_s")
    if (field("copy_bound_s")) time[point, "bound", mpi, round] = field("copy_bound_s")
    if (field("handover_s")) time[point, "handover", mpi, round] = field("handover_s")
    if (round > rounds) rounds = round
}
# Ratio a/b of one round: over the launches with `only`, or with every MPI. 0 if there is none.
function ratio_of_round(point, a, b, only, round,    i, n, v) {
    for (i = 1; i <= mpis[0]; i++)
        if ((!only || only == mpis[i]) && (point, a, mpis[i], round) in time && time[point, b, mpis[i], round] > 0)
            v[++n] = time[point, a, mpis[i], round] / time[point, b, mpis[i], round]
    return n ? median(v, n) : 0
}
# Against the fastest MPI of the round.
function fastest_of_round(point, round,    i, r, most) {
    for (i = 1; i <= mpis[0]; i++) {
        r = ratio_of_round(point, "best", "mpi", mpis[i], round)
        if (r > most) most = r
    }
    return most
}
# Sets mid, least, most and n over the rounds.
function summary(point, a, b, only,    r, x, v) {
    n = 0
    for (r = 1; r <= rounds; r++) {
        x = b == "fastest" ? fastest_of_round(point, r) : ratio_of_round(point, a, b, only, r)
        if (x > 0) v[++n] = x
    }
    if (!n) return 0
    mid = median(v, n); least = v[1]; most = v[n]
    return 1
}
function cell(point, a, b, only,    part) {
    if (!summary(point, a, b, only)) return "-"
    split(point, part, SUBSEP)
    if (csv) printf "%s,%s,%s,%s,%s,%.4g,%.4g,%.4g,%d\n", part[1], part[2], part[3], a, only ? only : b, mid, least, most, n >csv
    return spread_text(mid, least, most)
}
function best_us(point,    i, r, n, v) {
    for (r = 1; r <= rounds; r++)
        for (i = 1; i <= mpis[0]; i++)
            if ((point, "best", mpis[i], r) in time) v[++n] = time[point, "best", mpis[i], r] * 1e6
    return n ? median(v, n) : 0
}
function head(memory, procs) {
    printf "\n%d ranks, cold %s buffers. best in us, and to: cold copy by one core, by all,", procs, memory
    print " a hand-over, each MPI, the fastest"
    printf "%5s %9s", "size", "best us"
    printf "  %-15s %-15s %-16s", "/one core", "/all cores", "/hand-over"
    for (i = 1; i <= mpis[0]; i++) printf " %-15s", "/" mpis[i]
    printf " %-15s\n", "/fastest MPI"
}
function line(point, bytes,    i) {
    printf "%5s %9.2f", size_text(bytes), best_us(point)
    printf "  %-15s %-15s %-16s", cell(point, "best", "memcpy"), cell(point, "best", "bound"), cell(point, "best", "handover")
    for (i = 1; i <= mpis[0]; i++) printf " %-15s", cell(point, "best", "mpi", mpis[i])
    printf " %-15s\n", cell(point, "best", "fastest")
    if (summary(point, "best", "fastest")) { logs += log(mid); log_count++; if (mid > worst) worst = mid }
}
function section(memory, procs,    k, part, i) {
    logs = log_count = worst = 0
    head(memory, procs)
    for (k = 1; k <= points[0]; k++) {
        split(points[k], part, SUBSEP)
        if (part[1] == memory && part[2] == procs) line(points[k], part[3])
    }
    if (log_count) printf "best/(fastest MPI): geometric mean over sizes %.3f, worst %.2f\n", exp(logs / log_count), worst
    printf "each to best\n%5s", "size"
    for (i = 1; i <= protocols[0]; i++) if ((memory, procs, protocols[i]) in there) printf " %-16s", protocols[i]
    printf "\n"
    for (k = 1; k <= points[0]; k++) {
        split(points[k], part, SUBSEP)
        if (part[1] != memory || part[2] != procs) continue
        printf "%5s", size_text(part[3])
        for (i = 1; i <= protocols[0]; i++)
            if ((memory, procs, protocols[i]) in there) printf " %-16s", cell(points[k], protocols[i], "best")
        printf "\n"
    }
}
END {
    if (csv) print "buffer_memory,procs,size_bytes,what,to,ratio,least,most,rounds" >csv
    if (!title) title = "Broadcast"
    printf "\n%s, ratios of medians within a launch: median over %d rounds (least-most); ", title, rounds
    print "more than 1 is slower than what it is held against"
    for (k = 1; k <= points[0]; k++) {
        split(points[k], part, SUBSEP)
        if (!((part[1], part[2]) in done)) { done[part[1], part[2]] = 1; sections[++section_count] = part[1] SUBSEP part[2] }
    }
    for (s = 1; s <= section_count; s++) {
        split(sections[s], part, SUBSEP)
        section(part[1], part[2])
    }
}
