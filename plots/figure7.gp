# Fig. 7: how much several slots save.
NAME = "figure7"
load "style.gp"
set title "Simulated, eight ranks of one domain of broadwell-2x8: f = 8192, q = 1, flat"
set xlabel "message m, B"
set ylabel "time relative to s = 1"
eval size_tics("x", 4096, 4194304)
set yrange [0:1.1]
set key bottom left maxrows 4
S = "1 2 4 8 16 32 64 128"
plot for [i=1:8] NAME.".csv" using "size_bytes":(only("slots", word(S,i), "relative")) with linespoints lt i title "s = ".word(S,i)
