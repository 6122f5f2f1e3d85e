# Figs. 12 and 13: every protocol against a peer. The script says NAME, NODES (the paper's first), PEER, SETUPS and their TITLES, and LOW and HIGH.
at(node, p, s, y) = strcol("node") eq node && strcol("protocol") eq p && strcol("setup") eq s ? column(y) : NaN
set xlabel "message m, B"
set logscale x 4
set format x ""
set xtics ("64" 64, "256" 256, "1K" 2**10, "4K" 2**12, "16K" 2**14, "64K" 2**16, "256K" 2**18, "1M" 2**20, "4M" 2**22, "16M" 2**24)
set key top right
do for [n=1:2] {
  set title word(NODES, n).(n == 1 ? ", the paper's" : "") font ",10"
  set ylabel n == 1 ? "time relative to ".PEER : "" noenhanced
  unset object 1
  if (n == 1) { eval band_y(1, LOW, HIGH) }
  plot [64:16777216][0:2.4] for [p=1:7] NAME.".csv" using "size_bytes":(at(word(NODES,n), word(PROTOCOLS,p), "protocol", "relative")) with linespoints lt p+1 ps 0.7 title n == 1 && word(PROTOCOLS,p) ne PEER ? word(PROTOCOLS,p) : "" noenhanced, \
    for [s=2:words(SETUPS)] "" using "size_bytes":(at(word(NODES,n), "pipelined", word(SETUPS,s), "relative")) with linespoints lt 2 dt s pt 2*s+1 ps 0.7 title n == 2 ? TITLES[s] : "" noenhanced
}
