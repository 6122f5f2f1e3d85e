# Fig. 10 on this host: trees relative to flat, eight ranks, on fewer cores taking turns.
NAME = "host10"
load "style.gp"
stats NAME.".csv" using "cores" nooutput
CORES = int(STATS_max)
set title "Measured on this host, eight ranks".(CORES < 8 ? sprintf(" on %d cores (oversubscribed)", CORES) : "").", warm buffers\ns = 64, f = 8192, q = 1; bars: five rounds without the extremes"
set xlabel "message m, B"
set ylabel "time relative to flat"
set logscale x 2
set format x ""
set xtics ("4K" 2**12, "64K" 2**16, "1M" 2**20)
set key outside right
T = "flat chain kary:2 kary:3 kary:4 knomial:2 knomial:3 knomial:4"
of(tree, c) = strcol("tree") eq tree ? column(c) : NaN
plot for [i=1:8] t=word(T,i) NAME.".csv" using ($3*2**((i-4)/20.0)):(of(t, "relative")):(of(t, "low")):(of(t, "high")) with yerrorbars lt i pt 7 title t
