# Fig. 10: trees relative to flat.
NAME = "figure10"
WIDTH = 24.0
HEIGHT = 15.0
load "style.gp"
T = "flat chain kary:2 kary:3 kary:4 knomial:2 knomial:3 knomial:4"
at(node, place, p, t, y) = strcol("node") eq node && strcol("place") eq place && strcol("protocol") eq p && strcol("tree") eq t ? column(y) : NaN
NODES = "broadwell-2x8 broadwell-2x8 nehalem-2x4 broadwell-2x8 broadwell-2x8 broadwell-2x8"
PLACES = "compact scatter compact compact compact compact"
WAYS = "pipelined pipelined pipelined counted banked release_gather"
set multiplot layout 2,3 title "Simulated: every core a rank, s = 64, f = 8192, q = 1 (banked: 2). The paper's is the first, or the second\nif its ranks alternate between the sockets as in its Fig. 1: least are binary (kary:2) and chain"
set xlabel "message m, B"
set logscale x 4
set format x ""
set xtics ("64" 64, "256" 256, "1K" 2**10, "4K" 2**12, "16K" 2**14, "64K" 2**16, "256K" 2**18, "1M" 2**20, "4M" 2**22) rotate by -60
do for [i=1:6] {
  set title sprintf("%s on %s, %s", word(WAYS,i), word(NODES,i), word(PLACES,i)) noenhanced font ",10"
  set ylabel i % 3 == 1 ? "time relative to flat" : ""
  set key bottom right maxrows 4
  if (i > 1) { unset key }
  plot [64:4194304][0:1.6] for [t=1:8] NAME.".csv" using "size_bytes":(at(word(NODES,i), word(PLACES,i), word(WAYS,i), word(T,t), "relative")) with linespoints lt t ps 0.5 title word(T,t)
}
unset multiplot
