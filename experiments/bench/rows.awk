# What the tables of the benchmark share, before each of them: the fields of a row, medians, and how they are printed.
function text(name,    t) {
    if (!match($0, "\"" name "\":\"[^\"]*\"")) return ""
    t = substr($0, RSTART, RLENGTH - 1)
    sub(/^[^:]*:"/, "", t)
    return t
}
function field(name,    t) {
    if (!match($0, "\"" name "\":[-+0-9.e]+")) return 0
    t = substr($0, RSTART, RLENGTH)
    sub(/.*:/, "", t)
    return t + 0
}
function once(list, seen, name) { if (!(name in seen)) { seen[name] = 1; list[++list[0]] = name } }
function sort(v, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = v[i]
        for (j = i - 1; j >= 1 && v[j] > x; j--) v[j + 1] = v[j]
        v[j + 1] = x
    }
}
function median(v, n) { sort(v, n); return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
# A ratio with its spread.
function spread_text(mid, least, most) { return sprintf(mid < 10 ? "%.2f(%.2f-%.2f)" : "%.0f(%.0f-%.0f)", mid, least, most) }
function size_text(bytes) {
    if (bytes >= 1048576) return bytes / 1048576 "M"
    return bytes >= 1024 ? bytes / 1024 "K" : bytes
}
