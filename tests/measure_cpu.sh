# Sourced: measure_cpu FILE sets cpu to the hundredths of a second of processor time that the children have used so far.
# By way of a file, for in a subshell it would be none.
measure_cpu() {
    times >"$1"
    cpu=$(awk -F '[ms ]+' 'END { printf "%d", 100 * (60 * ($1 + $3) + $2 + $4) }' "$1")
}
