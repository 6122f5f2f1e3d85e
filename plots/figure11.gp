# Fig. 11: queues on their owners' domains against queues on the domain of rank 0, where readahead puts their pages.
NAME = "figure11"
WIDTH = 24.0
load "style.gp"
at(node, p, y) = strcol("node") eq node && strcol("protocol") eq p ? column(y) : NaN
NODES = "broadwell-2x8 nehalem-2x4"
set multiplot layout 1,2 title "Simulated, every core a rank, roots in turn: every queue on its owner's domain (readahead off)\nrelative to all queues on rank 0's (the most that readahead can do)"
set xlabel "message m, B"
set logscale x 4
set format x ""
set xtics ("64" 64, "256" 256, "1K" 2**10, "4K" 2**12, "16K" 2**14, "64K" 2**16, "256K" 2**18, "1M" 2**20, "4M" 2**22, "16M" 2**24)
do for [n=1:2] {
  set title word(NODES, n).(n == 1 ? ", the paper's" : "") font ",10"
  set ylabel n == 1 ? "time relative to all on rank 0's" : ""
  set key bottom right
  if (n > 1) { unset key }
  plot [64:16777216][0.5:1.1] for [p=1:5] NAME.".csv" using "size_bytes":(at(word(NODES,n), word(PROTOCOLS,p), "relative")) with linespoints lt p+1 ps 0.7 title word(PROTOCOLS,p) noenhanced
}
unset multiplot
