# What `shmcoll topo --format csv` saw, in the words of topology.awk: awk -v told=MIB,MIB,... -f topo_seen.awk CSV
# The kernel keeps some of a domain's memory for itself: up to half of what the emulator was told counts as told.
BEGIN { FS = ","; split(told, mib, ",") }
{ gsub(/"/, "") }
/^core\.[0-9]+\./ { split($1, part, "."); core[part[2], part[3]] = $2; if (part[3] == "os") cores++ }
/^domain\.[0-9]+\.os/ { split($1, part, "."); os[part[2]] = $2; domains++ }
/^domain\.[0-9]+\.memory_bytes/ { split($1, part, "."); bytes[part[2]] = $2 }
/^distance\./ { split($1, part, "."); distance[part[2], part[3]] = $2 }
function memory_of(d,    share) {
    if (!(d in bytes))
        return "none"
    share = mib[os[d] + 1] > 0 ? bytes[d] / (mib[os[d] + 1] * 1048576) : 99
    return share > 0.5 && share <= 1 ? "as told" : bytes[d] " bytes"
}
END {
    for (c = 0; c < cores; c++)
        print "cpu", core[c, "os"], "domain", os[core[c, "domain"]]
    for (d = 0; d < domains; d++)
        print "domain", os[d], "memory", memory_of(d)
    for (d = 0; d < domains; d++)
        for (e = 0; e < domains; e++)
            print "distance", os[d], os[e], distance[d, e]
}
