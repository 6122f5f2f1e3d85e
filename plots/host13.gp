# Fig. 13 on this host: ours against banked, with two ranks and, on fewer cores taking turns, with eight.
NAME = "host13"
load "style.gp"
stats NAME.".csv" using "cores" nooutput
CORES = int(STATS_max)
many = CORES < 8 ? sprintf("8 ranks on %d cores (oversubscribed), warm", CORES) : "8 ranks, warm"
set title "Measured on this host, roots in turn: ours (f = 8192, s = 64, q = 1, binary) against\nbanked (f = 8192, s = 8, q = 2, 4-ary); bars: five rounds without extremes"
set xlabel "message m, B"
set ylabel "time relative to the peer's"
set logscale x 4
set format x ""
set xtics ("64" 64, "256" 256, "1K" 2**10, "4K" 2**12, "16K" 2**14, "64K" 2**16, "256K" 2**18, "1M" 2**20, "4M" 2**22, "16M" 2**24)
set xrange [45:24000000]
set yrange [0:2]
set key top right reverse Left
of(procs, protocol, c) = column("procs") == procs && strcol("protocol") eq protocol ? column(c) : NaN
plot 1 with lines lt 1 dt 2, \
  for [i=1:2] p=word("pipelined counted", i) NAME.".csv" using "size_bytes":(of(2, p, "relative")):(of(2, p, "low")):(of(2, p, "high")) with yerrorlines lt i+1 pt 5+2*(i-1) title p.", 2 ranks, cold", \
  for [i=1:2] p=word("pipelined counted", i) "" using "size_bytes":(of(8, p, "relative")):(of(8, p, "low")):(of(8, p, "high")) with yerrorlines lt i+1 dt 3 pt 9+4*(i-1) title p.", ".many
