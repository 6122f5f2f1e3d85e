#!/bin/sh
# shmcoll map: what does not add up gives one line; cuts, bounds and J are those known; what is written reads back.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/asking.sh
plots=$PWD/plots
cd "$work" || exit 1

refuses_map() {
    what=$1
    shift
    refuses 2 "$what" map "$@"
}

# has "FIELD VALUE ..." ARGUMENTS...: the one row has these, as JSON has them.
has() {
    want=$1
    shift
    timeout "$limit_s" "$shmcoll" map "$@" --format jsonl >out 2>err || fail "'$*' failed: $(cat err)"
    # shellcheck disable=SC2086
    set -- "$*" $want
    what=$1
    shift
    while [ $# -gt 1 ]; do
        if grep -q "\"$1\":$2[,}]" out; then pass; else fail "'$what' has no $1 $2: $(cat out)"; fi
        shift 2
    done
}

refuses_map "what to map: shmcoll map allgather, or --matrix"
refuses_map "what to map" bcast --procs 4 --parts 2
refuses_map "say of how many ranks" allgather --parts 2
refuses_map "say how many nodes there are: --parts" allgather --procs 4
refuses_map "1 rank exchanges nothing" allgather --procs 1 --parts 1
refuses_map "5 are more than the 4 ranks" allgather --procs 4 --parts 5
refuses_map "parts: must be at least 1" allgather --procs 4 --parts 0
refuses_map "sizes add up to 3, but there are 4 ranks" allgather --procs 4 --sizes 1,2
refuses_map "part 0 has size 0" allgather --procs 4 --sizes 0,4
refuses_map "part 0 has 4294967298 ranks, but there are only 4" allgather --procs 4 --sizes 4294967298,2
refuses_map "part 0 has 8 ranks, but --ppn is 4: take more parts" allgather --procs 64 --parts 8 --ppn 4
refuses_map "part 1 has 4294967296 ranks, but there are only 8" allgather --procs 8 --sizes 8,4294967296
refuses_map "'99999999999999999999' is too large" allgather --procs 8 --sizes 99999999999999999999
refuses_map "'-1' is not a number" allgather --procs 8 --sizes=-1,9
refuses_map "'4294967298' is too large" allgather --procs 8 --parts 4294967298
refuses_map "sizes has 2 parts and --parts 3" allgather --procs 4 --sizes 2,2 --parts 3
refuses_map "part 0 has 32 ranks, but node nehalem-2x4 8 cores" allgather --procs 64 --node nehalem-2x4 --parts 2
refuses_map "unknown allgather 'binomial': use one of ring" allgather --algorithm binomial --procs 4 --parts 2
refuses_map "6 ranks: recursive_doubling needs a power of two" allgather --algorithm recursive_doubling --procs 6 --parts 2
refuses_map "unknown partitioner 'chaco': use block, " allgather --procs 8 --parts 2 --partitioner chaco
refuses_map "closed: the formula for bruck is for a power of two" allgather --procs 9 --parts 2 --partitioner closed
refuses_map "a file has one mapping" allgather --procs 8,16 --parts 2 -o x
refuses_map "are for one number of ranks" allgather --procs 8,16 --sizes 4,4
refuses_map "unknown format 'torque': use mapping, rankfile" allgather --procs 8 --parts 2 --to torque
refuses_map "a host file needs names: give 2 hosts" allgather --procs 8 --parts 2 --to hostfile
refuses_map "3 names for 2 nodes" allgather --procs 8 --parts 2 --to hostfile --hosts 'n[1-3]'
refuses_map "b is there twice" allgather --procs 8 --parts 4 --to rankfile --hosts 'a,b,c,b'
refuses_map "not 'matrix'" matrix halo.txt
refuses_map "expected a name at 'n\[3-1\]'" allgather --procs 8 --parts 2 --to hostfile --hosts 'n[3-1]'
refuses_map "expected a name at ',b'" allgather --procs 8 --parts 2 --to hostfile --hosts 'a,,b'
refuses_map "hosts is for what launchers read" allgather --procs 8 --parts 2 --hosts 'n[1-2]'
refuses_map "cannot both go to standard output" allgather --procs 8 --parts 2 --to mapping --dot -
refuses_map "cannot both go to standard output" allgather --procs 8 --parts 2 -o - --dot -
refuses 1 "/dev/full: cannot write: No space left" map allgather --procs 8 --parts 2 -o /dev/full
refuses 1 "/dev/full: cannot write: No space left" map allgather --procs 8 --parts 2 --dot /dev/full
refuses_map "MPICH binds ranks of a node that follow each other" allgather --procs 8 --parts 2 --to mpich
refuses_map "600 ranks is too large to look at" allgather --procs 600 --parts 2 --dot x
refuses_map "2000000000 are too many" allgather --procs 2000000000 --parts 2
refuses_map "unknown network 'torus'" allgather --procs 8 --parts 2 --network torus

printf '0,1\n2,0\n' >asymmetric
printf '0,nan\nnan,0\n' >nan
printf '0,-1\n-1,0\n' >negative
printf '0,1,2\n1,0,2\n' >truncated
printf '0,1\n1,0' >cut
printf '7\n' >lone
printf '0,1e300\n1e300,0\n' >huge
printf '0 1 18446744073709551616\n' >huger
printf '\177ELF\002\001\000\n\000' >binary
printf '0 1 5\n1 0 5\n0 9 1\n9 0 1\n' >above
printf '0,0,0,0\r\n0,0,0,0\r\n0,0,0,0\r\n0,0,0,0\r\n' >zeros
: >empty
printf '0 1 4611686018427387903\n1 0 1\n' >most1
printf '0,1\n1,0\n' >secret
chmod 0 secret
mkdir folder
refuses_map "asymmetric:1: row 1, column 2: rank 0 sends 1 bytes to rank 1, but gets 2 back: .* by --directed" \
    --matrix asymmetric --parts 2
refuses_map "nan:1: nan is no number of bytes" --matrix nan --parts 2
refuses_map "negative:1: -1 bytes are negative" --matrix negative --parts 2
refuses_map "truncated:2: the file ends after row 2 of 3" --matrix truncated --parts 2
refuses_map "cut:2: this last line has no end" --matrix cut --parts 2
refuses_map "lone: one rank exchanges nothing" --matrix lone --parts 1
refuses_map "empty: there is nothing in it" --matrix empty --parts 2
refuses_map "binary:1: expected a number of bytes, not the byte 0x7f" --matrix binary --parts 2
refuses_map "huge:1: 1e300 bytes are too many: give fewer than 2\^62" --matrix huge --parts 2
refuses_map "huger:1: 18446744073709551616 bytes are too many" --matrix huger --parts 2
refuses_map "above:3: there is no rank 9 among 4" --matrix above --procs 4 --parts 2
refuses_map "5 are more than the 4 ranks" --matrix zeros --parts 5
refuses_map "folder: is a directory; give a file" --matrix folder --parts 2
# Whoever may read everything is not kept from it.
[ -r secret ] || refuses_map "secret: cannot read: Permission denied; check the path" --matrix secret --parts 2
refuses_map "absent: cannot read: No such file" --matrix absent --parts 2
refuses_map "a matrix of 2 ranks, not of 3" --matrix asymmetric --procs 3 --parts 2
refuses_map "leave out 'allgather'" allgather --matrix asymmetric --parts 2
refuses_map "algorithm is of allgather" --matrix asymmetric --algorithm ring --parts 2
refuses_map "size is of allgather's blocks, and a --matrix has its bytes" --matrix zeros --parts 2 --size 1K
refuses_map "so J counts blocks: leave it out, or give --network" allgather --procs 8 --parts 2 --size 1K
refuses_map "so J counts blocks: leave it out, or give --network" allgather --procs 16 --node nehalem-2x4 --size 1M
refuses_map "so J counts blocks: leave it out, or give a --node" allgather --procs 8 --parts 1 --size 1K
refuses_map "100000000 are too many to map: at most 16777216" --matrix zeros --procs 100000000 --parts 2
refuses_map "place is of a node's cores: give a --node" --matrix zeros --parts 2 --place scatter
refuses_map "output would write over 'zeros', which --matrix reads" --matrix zeros --parts 2 -o zeros
refuses_map "output and --rows both write 'same': choose two paths" --matrix zeros --parts 2 -o same --rows same
refuses_map "output and --dot both write 'same'" --matrix zeros --parts 2 -o same --dot same
[ ! -e same ] && pass || fail "a path refused was written"
printf '0;1\n1;0\n' >semicolons
printf '0 1 2\n1 0 2\n0 1 2 3\n' >blanks
refuses_map "semicolons:1: expected .*, not '0;1'; a row of a matrix is numbers with commas between" --matrix semicolons --parts 2
refuses_map "blanks:3: expected the end of the line, not '3'; a line is FROM TO BYTES, and a matrix has commas" \
    --matrix blanks --directed --parts 2
refuses_map "directed is of a --matrix" allgather --procs 4 --parts 2 --directed

# Cuts of Bruck that are known to be the least; formulas that meet the bound; both directions of a matrix.
has "cut 54 bound 24 gap 1.25 optimal true parts 3" allgather --procs 12 --parts 3
has "cut 448 bound 448 gap 0 j 448 optimal true" allgather --procs 64 --parts 8
# Who meets the bound has proved it, whatever found it, and however many levels there are.
has "cut 448 gap 0 optimal true" allgather --procs 64 --parts 8 --partitioner strided
has "cut 1984 gap 0 optimal true" allgather --procs 64 --ppn 2 --node nehalem-2x4 --network infiniband-hdr
has "cut 3752 bound 448" allgather --procs 64 --parts 8 --partitioner block
has "cut 137437904896 gap 0" allgather --procs 1M --parts 131072
has "cut 56 bound 16" allgather --algorithm ring --procs 8 --sizes 3,3,2 --partitioner cyclic
has "cut 21 j 21" allgather --algorithm ring --procs 8 --sizes 3,3,2
has "cut 0 j 0 optimal true" --matrix zeros --sizes 3,1
printf '0 1 5\n2 1 4\n0 1 6\n1 2 4\n1 0 11\n' >twice
has "cut 8 j 8" --matrix twice --sizes 2,1
printf '0 1 4611686018427387903\n' >most
refuses_map "most1:2: with this all bytes together are too many: give fewer than 2\^62" --matrix most1 --parts 2 --directed
has "cut 4611686018427387903 j 4.611[0-9]*e+18" --matrix most --parts 2 --directed
has "cut 0 j 0 optimal true" --matrix most --procs 64 --parts 2 --directed
# Ranks that exchange nothing are no work for METIS, which takes hours for so many, and no work at all once nothing crosses.
printf '0 1 5\n1000000 3 7\n' >sparse
has "cut 0 j 0 optimal true" --matrix sparse --directed --parts 8
refuses_map "metis-rb: 999999 groups of ranks that exchange nothing with others .* too many for METIS: at most 131072; use auto" \
    --matrix sparse --directed --parts 8 --partitioner metis-rb
has "cut 3 j 3 optimal true" --matrix asymmetric --parts 2 --directed
# Regions are what a node has of a power of two, however nodes are given; on a node alone, what a domain has: as sim has them.
for nodes in '--parts 8' '--ppn 8' '--node nehalem-2x4' '--sizes 8,8,8,8,8,8,8,8'; do
    # shellcheck disable=SC2086
    has "cut 448 busiest 112" allgather --algorithm locality_bruck --procs 64 --partitioner block $nodes
done
has "cut 16 busiest 16" allgather --algorithm locality_bruck --procs 12 --sizes 4,8 --partitioner block
has "cut 8 busiest 8" allgather --algorithm locality_bruck --procs 8 --node nehalem-2x4 --partitioner block
# Nodes' ranks r/8, parts v mod 512: each node has eight parts of 512 by its numbers, and keeps one.
for partitioner in closed metis-rb; do
    "$shmcoll" map -q allgather --procs 4096 --parts 512 --partitioner $partitioner -o stay.map >/dev/null 2>err || fail "4096 ranks: $(cat err)"
    equal "ranks that stay, by $partitioner" "$(grep -v '^[#r]' stay.map | awk '$1 == NR - 1 { n++ } END { print n }')" 512
done
equal "every strategy has a row" "$("$shmcoll" map allgather --procs 32 --parts 4 --partitioner all --format csv 2>err | wc -l)" 9

# Seconds: 448 blocks of 1 KiB leave nodes of 8 over one port, 0.5 ns a byte each; the others stay, for nothing.
has "j 0.001835[0-9]* distance \"time\"" allgather --procs 64 --parts 8 --size 1K --network switch:G=500ps

# Four ranks, every other of which talks most, in either part: where each goes, for launchers.
printf '0 2 100\n2 0 100\n1 3 100\n3 1 100\n0 1 1\n' >pairs
either() { case $2 in "$3" | "$4") pass ;; *) fail "$1: '$2' is neither '$3' nor '$4'" ;; esac; }
either rankfile "$("$shmcoll" map --matrix pairs --ppn 2 --to rankfile --hosts 'n[08-09]' | tr '\n' ';')" \
    "rank 0=n08 slot=0;rank 1=n09 slot=0;rank 2=n08 slot=1;rank 3=n09 slot=1;" \
    "rank 0=n09 slot=0;rank 1=n08 slot=0;rank 2=n09 slot=1;rank 3=n08 slot=1;"
either hostfile "$("$shmcoll" map --matrix pairs --ppn 2 --to hostfile --hosts a,b | tr '\n' ' ')" "a b a b " "b a b a "
equal "lists of hosts" "$("$shmcoll" map --matrix pairs --parts 4 --to hostfile --hosts 'a,b[1,3-4]c' | sort | tr '\n' ' ')" "a b1c b3c b4c "
equal slurm "$("$shmcoll" map --matrix pairs --ppn 2 --to slurm)" "--cpu-bind=map_cpu:0,1"
# Of nodes of which nothing is known, ranks take cores in their order: one list serves all, however ranks are shared out.
awk 'BEGIN { for (i = 0; i < 64; i++) { a = i * 29 % 64; if (i % 8 < 7) { b = (i + 1) * 29 % 64; print a, b, 9; print b, a, 9 } } }' >chains
equal "slurm, shuffled" "$("$shmcoll" map --matrix chains --ppn 8 --to slurm)" "--cpu-bind=map_cpu:0,1,2,3,4,5,6,7"
either mapping "$("$shmcoll" map --matrix pairs --ppn 2 --to mapping | sed '/^#/d; s/ranks 4 .*//' | tr '\n' ' ')" " 0 2 1 3 " " 1 3 0 2 "
printf '0 2 9\n2 0 9\n1 3 9\n3 1 9\n4 5 9\n5 4 9\n6 7 9\n7 6 9\n0 1 5\n1 2 5\n2 3 5\n4 6 5\n5 7 5\n' >two_nodes
refuses_map "one list of cpus serves all nodes, .* or leave out --node" --matrix two_nodes --node synthetic:"pack:2 core:2 pu:1" --to slurm
equal "nodes only" "$("$shmcoll" map --matrix two_nodes --ppn 4 --to slurm)" "--cpu-bind=map_cpu:0,1,2,3"
equal mpich "$("$shmcoll" map --matrix pairs --node nehalem-2x4 --to mpich)" "-bind-to user:0,1,2,3"
"$shmcoll" map --matrix pairs --node nehalem-2x4 --place scatter --to rankfile -o ranks >rows
equal "rows beside a file" "$(grep -c ' auto ' rows)" 1
# Two sockets of four cores; ranks 0 and 2 on one of them, 1 and 3 on the other.
either "sockets" "$(sed -n 's/.*=localhost slot=//p' ranks | awk '{ print int($1 / 4) }' | tr '\n' ' ')" "0 1 0 1 " "1 0 1 0 "

# What crosses in the rounds is the cut.
"$shmcoll" map allgather --procs 48 --parts 5 -v --format jsonl >out 2>err
equal "rounds add up" "$(sed -n 's/^  round [0-9]*: //p' err | awk '{ n += $1 } END { print n }')" "$(sed 's/.*"cut":\([0-9]*\).*/\1/' out)"

"$shmcoll" map allgather --procs 12 --parts 3 --dot graph.dot >/dev/null
equal "a graph alone" "$("$shmcoll" map allgather --procs 12 --parts 3 --dot - 2>err | cksum)" "$(cksum <graph.dot)"
equal "blocks that cross" "$(sed -n 's/.*label="\([0-9]*\)", color=red.*/\1/p' graph.dot | awk '{ n += $1 } END { print n }')" 54
equal "what is not random" "$("$shmcoll" map allgather --procs 100 --parts 7 --to mapping --seed 3 | cksum)" \
    "$("$shmcoll" map allgather --procs 100 --parts 7 --to mapping --seed 3 | cksum)"

equal "what no setting of threads changes" "$(OMP_NUM_THREADS=3 SCOTCH_PTHREAD_NUMBER=3 SCOTCH_RANDOM_FIXED_SEED=7 OMP_DYNAMIC=true LC_ALL=C \
    "$shmcoll" map allgather --procs 100 --parts 7 --to mapping --partitioner scotch | cksum)" \
    "$("$shmcoll" map allgather --procs 100 --parts 7 --to mapping --partitioner scotch | cksum)"

# What map says will cross between nodes does, when its file is what sim goes by.
"$shmcoll" map allgather --procs 48 --parts 6 -o pi --format jsonl >out
cut=$(sed 's/.*"cut":\([0-9]*\).*/\1/' out)
"$shmcoll" sim allgather --procs 48 --ppn 8 --node nehalem-2x4 --network gigabit --size 1K --mapping pi --remap reorder --format jsonl >out
equal "bytes between nodes" "$(sed 's/.*"bytes_between":\([0-9]*\).*/\1/' out)" $((1024 * cut))

# What the picture says is what map says.
SHMCOLL_PLOTS=$plots "$shmcoll" figure graph -o figure >/dev/null 2>err || fail "figure graph: $(cat err)"
equal "least cut of the figure" "$(sed -n 's/^auto,rank,0,0,\([0-9]*\),.*/\1/p' figure/graph.csv)" 54
equal "cut of blocks in the figure" "$(sed -n 's/^block,edge,[0-9]*,[0-9]*,\([0-9]*\),1,.*/\1/p' figure/graph.csv | awk '{ n += $1 } END { print n }')" \
    "$(sed -n 's/^block,rank,0,0,\([0-9]*\),.*/\1/p' figure/graph.csv)"

# With less memory than it takes: done, or one line and 4; never a crash, whatever METIS and Scotch do of themselves.
for partitioner in auto scotch metis-kway metis-rb; do
    for kbytes in 20000 30000 40000 60000; do
        (ulimit -v $kbytes && "$shmcoll" --version) >/dev/null 2>&1 || continue # too little to begin at all
        (ulimit -v $kbytes && timeout -k 5 240 "$shmcoll" map allgather --procs 15000 --parts 50 --partitioner $partitioner) >out 2>err
        code=$? lines=$(wc -l <err)
        if [ $code -eq 0 ] || { [ $code -eq 4 ] && [ "$lines" -eq 1 ] && grep -q '^shmcoll: .*no memory' err; }; then
            pass
        else
            fail "$partitioner with $kbytes KiB gave exit code $code, $lines lines: $(head -c 300 err)"
        fi
    done
done

# Every strategy and format is in the help.
"$shmcoll" map --help >help
for word in auto block cyclic closed metis-kway metis-rb scotch mapping rankfile mpich slurm hostfile 'distance time' bound busiest; do
    if grep -q "^  $word " help; then pass; else fail "the help does not say what $word is"; fi
done

finish
