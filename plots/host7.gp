# Fig. 7 on this host with two ranks: what several slots save.
NAME = "host7"
load "style.gp"
set title "This host, two ranks: f = 8192, q = 1. Filled: run; open: sim; lines: extended model"
set xlabel "message m, B"
set ylabel "time relative to s = 1"
eval size_tics("x", 8192, 1048576)
set yrange [0:1.3]
set key outside right
S = "1 2 4 8 16 32 64"
of(source, slots) = strcol("source") eq source && strcol("slots") eq slots ? column("relative") : NaN
plot for [i=1:7] NAME.".csv" using "size_bytes":(of("run", word(S,i))) with linespoints lt i pt 7 dt 3 title "s = ".word(S,i), \
  for [i=1:7] "" using "size_bytes":(of("sim", word(S,i))) with points lt i pt 6 ps 1.4, \
  for [i=1:7] "" using "size_bytes":(of("model", word(S,i))) with lines lt i
