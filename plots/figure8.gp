# Fig. 8: the saw-tooth of [m/(fs)].
NAME = "figure8"
load "style.gp"
set title "Model: 16 MiB, s = 32, q = 1, paper's node"
set xlabel "fragment f, B"
set ylabel "time, us"
eval size_tics("x", 2048, 65536)
set yrange [17200:17550]
plot NAME.".csv" using "fragment_bytes":(column("time_s")*1e6) with lines lt 2 title "t(m, s)"
