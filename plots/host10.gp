# Fig. 10 on this host: trees relative to flat, eight ranks, on fewer cores taking turns.
NAME = "host10"
load "style.gp"
stats NAME.".csv" using "cores" nooutput
CORES = int(STATS_max)
set title "Measured on this host, eight ranks".(CORES < 8 ? sprintf(" on %d cores (oversubscribed)", CORES) : "").", warm buffers: s = 64, f = 8192, q = 1\nbars: five rounds without the extremes"
set xlabel "message m, B"
set ylabel "time relative to flat"
eval size_tics("x", 4096, 1048576)
set key outside right
T = "flat chain kary:2 kary:3 kary:4 knomial:2 knomial:3 knomial:4"
of(tree, c) = strcol("tree") eq tree ? column(c) : NaN
plot for [i=1:8] t=word(T,i) NAME.".csv" using ($3*2**((i-4)/20.0)):(of(t, "relative")):(of(t, "low")):(of(t, "high")) with yerrorbars lt i pt 7 title t
