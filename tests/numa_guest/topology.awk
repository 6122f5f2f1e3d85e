# A line of `topologies` as others want it: awk -v name=NAME -v want=qemu|expect|homes -f topology.awk topologies
#   qemu    the options that make it
#   expect  what `shmcoll topo` must have seen, in the words of topo_seen.awk
#   homes   the domain each cpu's memory comes from: its own, or the nearest that has memory
#   rest    the domains with memory but the first: what a confined program may use
#   confined  the homes of its cpus
function qemu(    d, e) {
    printf "-smp %d -m %d", cpus, total
    for (d = 0; d < n; d++) {
        if (memory[d + 1] > 0)
            printf " -object memory-backend-ram,id=m%d,size=%dM", d, memory[d + 1]
        printf " -numa node,nodeid=%d,cpus=%s%s", d, range_of(d), (memory[d + 1] > 0 ? ",memdev=m" d : "")
    }
    for (d = 0; d < n; d++)
        for (e = 0; e < n; e++)
            printf " -numa dist,src=%d,dst=%d,val=%d", d, e, distance[d, e]
    print ""
}
function range_of(d,    i, first) {
    first = 0
    for (i = 0; i < d; i++)
        first += count[i + 1]
    return first "-" first + count[d + 1] - 1
}
function expect(    c, d, e) {
    for (c = 0; c < cpus; c++)
        print "cpu", c, "domain", domain[c]
    for (d = 0; d < n; d++)
        print "domain", d, "memory", (memory[d + 1] > 0 ? "as told" : "none")
    for (d = 0; d < n; d++)
        for (e = 0; e < n; e++)
            print "distance", d, e, distance[d, e]
}
function first_with_memory(    d) {
    d = 0
    while (d < n && memory[d + 1] == 0)
        d++
    return d
}
function rest(    d, separator) {
    for (d = first_with_memory() + 1; d < n; d++)
        if (memory[d + 1] > 0) {
            printf "%s%d", separator, d
            separator = ","
        }
    print ""
}
function home_of(d, from,    e, best) {
    best = -1
    for (e = from; e < n; e++)
        if (memory[e + 1] > 0 && (best < 0 || distance[d, e] < distance[d, best]))
            best = e
    return best
}
# With memory from domain `from` on.
function homes(from,    c) {
    for (c = 0; c < cpus; c++)
        printf "%s%d", c ? "," : "", home_of(domain[c], from)
    print ""
}
function parse(    d, e, i, rows, row, cell) {
    n = split($2, count, ",")
    split($3, memory, ",")
    rows = split($4, row, "/")
    for (d = 0; d < n; d++) {
        total += memory[d + 1]
        for (i = 0; i < count[d + 1]; i++)
            domain[cpus++] = d
        split(row[d + 1], cell, ",")
        for (e = 0; e < n; e++)
            distance[d, e] = cell[e + 1]
    }
    return rows == n
}
$1 == name {
    if (!parse())
        exit 1
    found = 1
    if (want == "qemu") qemu()
    if (want == "expect") expect()
    if (want == "homes") homes(0)
    if (want == "rest") rest()
    if (want == "confined") homes(first_with_memory() + 1)
}
END { exit !found }
