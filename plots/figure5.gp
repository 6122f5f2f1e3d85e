# Fig. 5: time against the fragment, b = 4 MiB.
NAME = "figure5"
WIDTH = 24.0
HEIGHT = 15.0
load "style.gp"
SERVERS = "nehalem-2x4 broadwell-2x8"
PROCS = "8 16"
SIZES = "16384 32768 65536"
array LEAST[6]
array MOST[6]
do for [n=1:2] { do for [m=1:3] {
  id = sprintf("f5.time.p%s.%s", word(PROCS,n), size_text(int(word(SIZES,m))))
  LOW_min = NaN; HIGH_min = NaN
  if (n == 1 || m == 1) { eval published(id) }
  LEAST[3*n+m-3] = LOW_min; MOST[3*n+m-3] = HIGH_min
} }
eval published("f5.best.p8.16K")
BEST_LOW = LOW_min; BEST_HIGH = HIGH_min
at(n, m, p, y) = strcol("node") eq word(SERVERS, n) && strcol("size_bytes") eq word(SIZES, m) && strcol("protocol") eq word(PROTOCOLS, p) ? column(y)*1e6 : NaN
set multiplot layout 2,3 title "Simulated: b = 4 MiB, s = b/f; ours with q = 1 and a chain, peers with their own trees and sets.\n{/*0.85 Grey: where the paper has the least time, and between dashes the range of its axis}"
set xlabel "fragment f, B"
set ylabel "time, us"
eval size_tics("x", 2048, 65536)
set key bottom right font ",9"
do for [n=1:2] { do for [m=1:3] {
  set title sprintf("%s, %s ranks, m = %s", word(SERVERS,n), word(PROCS,n), size_text(int(word(SIZES,m)))) font ",10"
  eval band_x(1, BEST_LOW, BEST_HIGH)
  if (n*m > 1) { unset key }
  L = LEAST[3*n+m-3]; H = MOST[3*n+m-3]
  plot [2048:65536][0:*] for [p=1:5] NAME.".csv" using "fragment_bytes":(at(n,m,p,"time_s")) with linespoints lt p+1 ps 0.6 title word(PROTOCOLS,p) noenhanced, \
    "" using "fragment_bytes":(at(n,m,1,"model_s")) with lines lt 1 lw 1 title "extended model of pipelined", \
    L with lines lt 1 dt 2 lw 1 notitle, H with lines lt 1 dt 2 lw 1 notitle
} }
unset multiplot
