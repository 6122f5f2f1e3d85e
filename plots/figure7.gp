# Fig. 7: how much several slots save.
NAME = "figure7"
WIDTH = 24.0
HEIGHT = 15.0
load "style.gp"
eval published("f7.s2.16K")
S2 = (LOW_min + HIGH_min) / 2
eval published("f7.s4.32K")
S4_LOW = LOW_min; S4_HIGH = HIGH_min
set multiplot layout 2,3 title "Simulated, eight ranks of one domain: f = 8192; ours with q = 1 and flat.\n{/*0.85 Filled: what the paper reports of its broadcast, 2 slots at 16 KiB and 4 at 32 KiB}"
set xlabel "message m, B"
eval size_tics("x", 4096, 4194304)
set xtics rotate by -60
S = "1 2 4 8 16 32 64 128"
at(i, s, y) = strcol("node") eq word(NODES, i) && strcol("protocol") eq word(WAYS, i) && strcol("slots") eq s ? column(y) : NaN
NODES = "broadwell-2x8 haswell-2x14 broadwell-2x8 broadwell-2x8 broadwell-2x8 broadwell-2x8"
WAYS = "pipelined pipelined counted slot_ring banked release_gather"
do for [p=1:6] {
  set title word(WAYS, p)." on ".word(NODES, p) noenhanced font ",10"
  set ylabel p == 4 || p == 5 ? "time relative to s = 2" : "time relative to s = 1"
  set key bottom left maxrows 4
  if (p > 1) { unset key }
  plot [4096:4194304][0:1.1] for [i=1:8] NAME.".csv" using "size_bytes":(at(p, word(S,i), "relative")) with linespoints lt i ps 0.6 title "s = ".word(S,i), \
    "+" using (p == 1 ? 16384 : NaN):(S2) every ::::0 with points lt 2 pt 5 ps 1.4 notitle, \
    "+" using (p == 1 ? 32768 : NaN):((S4_LOW+S4_HIGH)/2):(S4_LOW):(S4_HIGH) every ::::0 with yerrorbars lt 3 pt 9 ps 1.2 lw 2 notitle
}
unset multiplot
