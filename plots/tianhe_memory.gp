# Memory of a rank's channels: lines by the form, marks as counted.
NAME = "tianhe_memory"
load "style.gp"
set title "Memory of one rank's channels: lines by the form, marks counted message by message"
set xlabel "ranks"
set ylabel "MiB a rank"
set logscale xy
set logscale x 2
set xtics ("64" 64, "256" 256, "1K" 1024, "4K" 4096, "16K" 16384, "64K" 65536)
PATTERNS = "all bruck torus"
CHANNELS = "er combined sr"
of(p, c, v) = strcol("pattern") eq p && strcol("channel") eq c ? column(v)/2**20 : NaN
plot for [p=1:3] for [c=1:3] NAME.".csv" using "procs":(of(word(PATTERNS,p), word(CHANNELS,c), "rank_bytes")) with lines lt c+1 dt p \
  title word(CHANNELS,c).", ".word(PATTERNS,p), \
  for [p=1:3] for [c=1:3] "" using "procs":(of(word(PATTERNS,p), word(CHANNELS,c), "counted_bytes")) with points lt c+1
