# Sourced: show_input FILE prints what of it fits a log, such that it can be had again where the file cannot.
show_input() {
    echo "input $1, $(wc -c <"$1") bytes$([ "$(wc -c <"$1")" -le 1024 ] || echo ", the first 1024"); base64 -d gives it back:"
    head -c 1024 "$1" | base64 -w 120
}
