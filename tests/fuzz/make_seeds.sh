#!/bin/sh
# Writes a seed corpus for each fuzz target and a dictionary: make_seeds.sh FOLDER
set -eu
out=$1
mkdir -p "$out/fit_rows" "$out/goal" "$out/numbering" "$out/node_yaml" "$out/network_yaml" "$out/hwloc_xml" "$out/hwloc_synthetic" "$out/words" "$out/traffic"

sed -n 's/^    {"\([a-z0-9_]*\)", FIELD_.*/"\1: "/p' model/formats/node_fields.c >"$out/node_yaml.dict"
printf '"%s"\n' same_cache same_core same_socket cross_socket in_cold out_cold plain_cold start_ns s_per_byte t_w_s t_s_per_byte \
    fragment_bytes queue_bytes time_s message_bytes beside_s class value low high source '0*4' '0-3' null '256K' >>"$out/node_yaml.dict"

printf 'cores: 4\n' >"$out/node_yaml/cores"
printf 'cores: 4\ndomains: 2\nsockets: 2\ncore_domain: [0, 0, 1, 1]\ncore_os: [0-3]\ncore_cache: [0*2, 1*2]\ndistance: [[10, 21], [21, 10]]\n' \
    >"$out/node_yaml/shape"
printf 'cores: 2\nstore_ns: 7\natomic_ns: {value: 9, low: 8, high: 10, source: "measured"}\nhandover_ns:\n  same_cache: 40\n  same_core: ~\n' \
    >"$out/node_yaml/costs"
printf 'cores: 2\ncopy: {in_cold: {start_ns: 30, s_per_byte: 1e-10}}\nbandwidth:\n  - {cores: 1, bytes_per_s: 1e9}\n  - {cores: 2, bytes_per_s: 2e9}\n' \
    >"$out/node_yaml/copies"
printf 'cores: 2\ncopy_points:\n- {class: out_cold, fragment_bytes: 4K, queue_bytes: 64K, time_s: 1e-6, message_bytes: 1M, beside_s: 2e-6}\n' \
    >"$out/node_yaml/points"
printf 'cores: 2\npair_handover_ns: [[0, 50], [~, 0]]\ncontention_free: true\npaper: {t_s_per_byte: 1e-9, t_w_s: 0, t_wo_s: 0, t_a_s: 0}\n' \
    >"$out/node_yaml/pairs"

printf '"%s"\n' num_ranks 'rank 0 {' calc send recv 'requires l1' 'irequires l1' ' cpu 1' ' nic 1' ' tag -1' 'b to 1' 'b from 0' 'b from -1' \
    18446744073709551615 '//' '/*' '*/' '\x0a' >"$out/goal.dict"
printf 'num_ranks 2\nrank 0 {\nl1: send 10b to 1 tag 3\nl2: recv 4b from 1\n}\nrank 1 {\nl1: recv 10b from 0 tag 3 cpu 1 nic 1\nl2: send 4b to 0\nl2 requires l1\n}\n' \
    >"$out/goal/exchange"
printf 'num_ranks 3 // comment\n/* another */ rank 2 {\na: recv 9b from -1 tag -1\nb: recv 9b from 1\nb irequires a }\nrank 0 {\nsend 1b to 2 tag 7 nic 2\n}\nrank 1 {\nc: calc 100 cpu 3\nd: send 0b to 2\nd requires c\n}\n' \
    >"$out/goal/any"
printf 'num_ranks 2\nrank 0 {\nr: recv 1b from 1\ns: send 1b to 1\ns requires r\n}\nrank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\n}\n' \
    >"$out/goal/deadlock"
printf 'num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\na requires b\nb irequires a\n}\n' >"$out/goal/cycle"

printf '"%s"\n' 'ranks ' '#' 4294967296 1073741824 nan '\x0d\x0a' >"$out/numbering.dict"
printf 'ranks 4 closed, bruck in 2 parts\n0\n2\n1\n3\n' >"$out/numbering/closed"
printf '# which is which\r\n\r\nranks 3 # nobody\r\n2 # of 0\r\n 0\r\n1' >"$out/numbering/comments"
printf 'ranks 3\n2\n2\n1\n' >"$out/numbering/twice"
printf 'ranks 3\n2\n' >"$out/numbering/short"

printf '"%s"\n' procs size_bytes time_s '# OSU' '#bytes' 't_max[usec]' '# #processes = ' ',' 1e-6 nan inf '\x0d\x0a' >"$out/fit_rows.dict"
printf 'procs,size_bytes,time_s\n2,1,1e-7\n24,1048576,0.00025\n' >"$out/fit_rows/csv"
printf 'node,time_s,algorithm,size_bytes,procs\r\na,1e-6,flat,64,3\r\n\r\na,2e-6,flat,128,3\r\n' >"$out/fit_rows/columns"
printf 'size_bytes,time_s\n64,1e-6\n' >"$out/fit_rows/no_procs"
printf '# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n1    0.31\n1024  1.20\n' >"$out/fit_rows/osu"
printf '# Benchmarking Bcast\n# #processes = 16\n#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n 0 1000 0.02 0.04 0.03\n 64 1000 0.9 1.4 1.2\n\n# All processes entering MPI_Finalize\n' \
    >"$out/fit_rows/imb"

sed -n 's/^    \(\[NETWORK_KEY_[A-Z_]*\] = {\)\?{"\([a-z0-9_]*\)", FIELD_.*/"\2: "/p' model/formats/network_fields.c >"$out/network_yaml.dict"
printf '"%s"\n' loggp switch fat_tree value low high source null >>"$out/network_yaml.dict"
costs='latency_ns: 700\noverhead_ns: {value: 150, low: 100, high: 200, source: "measured"}\ngap_ns: 50\nbyte_ns: 0.04\n'
printf "$costs" >"$out/network_yaml/loggp"
printf "kind: switch\nname: \"here\"\nreceiver_gap_ns: 7\n$costs" >"$out/network_yaml/switch"
printf "kind: fat_tree\nlevels: 3\nradix: 40\noversubscription: 1.5\nswitch_ns: 130\nlink_byte_ns: 0.02\n$costs" >"$out/network_yaml/tree"
printf "${costs}layers:\n- {name: mpi, overhead_ns: 200, gap_ns: 180}\n- {name: raw, gap_ns: ~}\n" >"$out/network_yaml/layers"

printf '"%s"\n' '%%MatrixMarket matrix' ' coordinate' ' array' ' real' ' integer' ' general' ' symmetric' nan inf 1e18 9223372036854775807 \
    ',' '#' '\x0d\x0a' >"$out/traffic.dict"
printf '# dense\n0,1,2\n1,0,3.5\r\n2,3.5,0\n' >"$out/traffic/dense"
printf '# edges\n0 1 100\n2\t0 5e1\n0 1 11\n' >"$out/traffic/edges"
printf '%%%%MatrixMarket matrix coordinate real symmetric\n%% c\n3 3 2\n2 1 5\n3 2 1.5e3\n' >"$out/traffic/coordinate"
printf '%%%%MatrixMarket matrix array integer general\n2 2\n0\n1\n1\n0\n' >"$out/traffic/array"
printf '%%%%MatrixMarket matrix array real symmetric\n2 2\n0\n7\n0\n' >"$out/traffic/triangle"

# A machine of two cores, as hwloc 2 exports it.
cat >"$out/hwloc_xml/small" <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
<object type="Machine" os_index="0" cpuset="0x3" complete_cpuset="0x3" allowed_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
<object type="NUMANode" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" gp_index="6" local_memory="1073741824"/>
<object type="L3Cache" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" gp_index="7" cache_size="1048576" depth="3" cache_linesize="64" cache_associativity="0" cache_type="0">
<object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="2">
<object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="3"/></object>
<object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1" gp_index="4">
<object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1" gp_index="5"/></object>
</object></object>
</topology>
XML

i=0
for text in 'pack:2 numa:1 l3:1 l2:4 core:1 pu:2' 'numa:4 core:2 pu:1' '2 2 2' 'pack:2(memory=1GB) [numa] core:2 pu:1' \
    '(memory=1GB) pack:1 core:4 pu:1(indexes=0,2,1,3)' 'die:2 group:2 core:0x4 pu:1'; do
    i=$((i + 1))
    printf '%s' "$text" >"$out/hwloc_synthetic/$i"
done
i=0
for text in 64K 1K..16M 64K,1M 0 4096 10us 1.5ms flat chain kary:4 knomial:2 binary binomial 18446744073709551615 1G..4G 'node[08-11]' 'a,b[1,3-4]c'; do
    i=$((i + 1))
    printf '%s' "$text" >"$out/words/$i"
done
