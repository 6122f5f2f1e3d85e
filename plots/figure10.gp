# Fig. 10: trees relative to flat.
NAME = "figure10"
load "style.gp"
set title "Simulated, 16 ranks of broadwell-2x8: s = 64, f = 8192, q = 1"
set xlabel "message m, B"
set ylabel "time relative to flat"
eval size_tics("x", 1024, 4194304)
set key outside right
T = "flat chain kary:2 kary:3 kary:4 knomial:2 knomial:3 knomial:4"
plot for [i=1:8] NAME.".csv" using "size_bytes":(only("tree", word(T,i), "relative")) with linespoints lt i title word(T,i)
