# Fig. 6: the model's time against the number of slots.
NAME = "figure6"
load "style.gp"
set title "Model: 16 MiB, f = 8192, q = 1, paper's node"
set xlabel "slots s"
set ylabel "time, us"
set logscale x 2
set yrange [16000:35000]
set key top right
plot NAME.".csv" using "slots":(column("time_s")*1e6) with linespoints lt 2 pt 7 ps 0.3 title "t(m, s)"
