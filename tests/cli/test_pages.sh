#!/bin/sh
# README and the pages under doc/: links lead somewhere, files and targets named are there, commands shown are commands, and those that do not
# measure print what is shown. In a block with examples a line "$ ..." is a command, the lines up to the next are what it prints, and "..." stands
# for any lines.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/asking.sh
PATH=$(dirname "$shmcoll"):$PATH
pages="README.md $(echo doc/*.md)"

# The part of a heading that links have after '#'.
anchors() { sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | sed 's/[^a-z0-9_-]//g'; }
links() { grep -o '](\([^)]*\))' "$1" | sed 's/^](//; s/)$//' | grep -v '^https*:'; }
for page in $pages; do
    for link in $(links "$page"); do
        file=${link%%#*} anchor=
        case $link in *'#'*) anchor=${link#*#} ;; esac
        there=${file:+$(dirname "$page")/$file}
        there=${there:-$page}
        if [ -f "$there" ] && { [ -z "$anchor" ] || anchors "$there" | grep -qxF -- "$anchor"; }; then
            pass
            realpath --relative-to=. "$there" >>"$work/linked"
        else
            fail "$page: no $link"
        fi
    done
done
for file in doc/*; do
    grep -qxF "$file" "$work/linked" && pass || fail "no page leads to $file"
done
for page in doc/*.md; do
    links README.md | grep -qxF "$page" && pass || fail "README does not lead to $page"
done

# Files of the project and targets of make.
quoted() { awk '/^```/ { block = !block } !block' $pages | grep -o '`[^`]*`' | tr -d '`' | sort -u; }
for file in $(quoted | grep -E '^(model|sim|partition|kernels|experiments|plots|tests|doc)/[A-Za-z0-9_./-]*$'); do
    [ -e "$file" ] && pass || fail "pages name $file, which is not there"
done
for target in $({ quoted; cat $pages; } | sed -n 's/^[$ ]*make \([a-z]*\)\( .*\)*$/\1/p' | sort -u); do
    grep -qE "^$target:|^## $target:" Makefile && pass || fail "pages name make $target"
done

# Every command with what is shown below it: a folder a page, files 1.sh, 1.out and so on.
examples() { # PAGE FOLDER
    mkdir -p "$2" && awk -v folder="$2" '
        /^```/ { block = !block; command = ""; next }
        !block { next }
        /^\$ / { n++; command = folder "/" n ".sh"; out = folder "/" n ".out"; head = 1
                 print substr($0, 3) >command; printf "" >out; next }
        command == "" { next }
        head && /^    / && wants($0) { print >command; next }
        { head = 0; print >out }
        # A command goes on in lines set in by more than those it prints, before anything that it prints.
        function wants(line) { return line ~ /^ +(-|function|BEGIN|for)/ }' "$1"
}
# Without what depends on the host: columns of these names, measured rows of reports and the totals that count them.
unmeasured() {
    awk '
        function column(name,   i, from) {
            if (!(i = index($0, name))) return
            from = i - 1
            while (from > 0 && substr($0, from, 1) == " ") from--
            first[++columns] = from + 1; last[columns] = i + length(name) - 1
        }
        /^source / { columns = 0; map = /^source map/; head = 1; print; next }
        head { head = 0; column("wall [us]"); column("reading [us]"); if (map) column("time [us]") }
        /graph of .* parts|optimisation; |if a formula is known/ { sub(/ [0-9.e+-]+ (s|us)  [a-z].*/, " measured") }
        /^[0-9]+ agree, / { next }
        NF == 0 || /^\.\.\.$/ { columns = 0 }
        { for (i = columns; i > 0; i--) if (length($0) >= last[i]) $0 = substr($0, 1, first[i] - 1) substr($0, last[i] + 1)
          gsub(/ +/, " "); sub(/^ /, ""); print }'
}
# Lines of the first file are in the second in this order, and those between them as well where no "..." stands.
shown() { # SHOWN PRINTED
    awk 'NR == FNR { printed[++n] = $0; next }
         /^\.\.\.$/ { any = 1; next }
         { if (any) while (at < n && printed[at + 1] != $0) at++
           any = 0
           if (printed[++at] != $0 || at > n) { print "shown:   " $0; print "printed: " printed[at]; exit bad = 1 } }
         END { if (!bad && !any && at < n) { print "not shown: " printed[at + 1]; bad = 1 } exit bad }' "$2" "$1"
}
# Options of a command that is not executed here.
known() { # COMMAND LINE
    tool=$(echo "$1" | awk 'NR == 1 { print $2 }')
    "$shmcoll" "$tool" --help >"$work/help" || return 1
    for option in $(echo "$1" | grep -oE -- ' --[a-z-]+'); do
        grep -qE -- " $option( |$)" "$work/help" || { echo "$tool has no $option"; return 1; }
    done
}
executed=0
for page in $pages; do
    folder=$work/$(basename "$page" .md)
    examples "$page" "$folder"
    n=0
    while [ -e "$folder/$((n += 1)).sh" ]; do
        line=$(cat "$folder/$n.sh")
        case $line in
        make\ * | export\ *) continue ;;
        *out/node.yaml* | shmcoll\ run* | shmcoll\ compare* | shmcoll\ calibrate* | shmcoll\ doctor* | shmcoll\ figure*)
            known "$line" >"$work/said" && pass || fail "$page: $line: $(cat "$work/said")"
            continue ;;
        esac
        executed=$((executed + 1)) printed=$folder/$n.printed
        # Reports take seconds and leave no files: once is enough.
        case $line in shmcoll\ report\ *) printed=$work/${line##* }.printed ;; esac
        if ! { [ -e "$printed" ] || (cd "$folder" && timeout "$limit_s" sh "$n.sh" >"$printed" 2>&1); }; then
            fail "$page: $line: $(head -c 300 "$printed")"
            continue
        fi
        unmeasured <"$printed" >"$folder/printed.masked"
        unmeasured <"$folder/$n.out" >"$folder/shown.masked"
        shown "$folder/shown.masked" "$folder/printed.masked" >"$work/said" && pass || fail "$page: $line
$(cat "$work/said")"
    done
done
[ $executed -ge 25 ] && pass || fail "only $executed commands of the pages were found"

finish
