# Fig. 13: the paper's broadcast against Open MPI's coll/sm.
NAME = "figure13"
load "style.gp"
set title "Simulated, 16 ranks of broadwell-2x8, roots in turn:\nours (f = 8192, s = 64, q = 1, binary) against banked (f = 8192, s = 8, q = 2, 4-ary)"
set xlabel "message m, B"
set ylabel "time relative to the peer's"
set logscale x 4
set format x ""
set xtics ("64" 64, "256" 256, "1K" 2**10, "4K" 2**12, "16K" 2**14, "64K" 2**16, "256K" 2**18, "1M" 2**20, "4M" 2**22, "16M" 2**24)
set xrange [64:16777216]
set yrange [0:1.3]
set key below vertical maxrows 3
set object 1 rectangle from graph 0, first 0.4 to graph 1, first 0.8 fillcolor rgb "#eeeeee" fillstyle solid noborder behind
set label 1 "published: 0.4 .. 0.8" at graph 0.98, first 0.45 right
plot NAME.".csv" using "size_bytes":(only("setup", "protocol", "relative")) with linespoints lt 2 title "protocol alone, every queue on its owner's domain", \
  "" using "size_bytes":(only("setup", "queues", "relative")) with linespoints lt 3 title "and the peer's queues all on rank 0's domain"
