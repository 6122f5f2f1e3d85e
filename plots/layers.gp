# A short message one way, layer by layer: what each adds to the hand-over of a line.
NAME = "layers"
load "style.gp"
set title "8 bytes between two ranks of this host, warm: median of seven rounds, bars without the extremes;\nabove them in hand-overs of the same runs"
set ylabel "t, ns"
set style data boxes
set boxwidth 0.6
set xtics rotate by -20
set yrange [0:*]
set offsets 0.6, 0.6, 0, 0
plot NAME.".csv" using 0:(column("time_s")*1e9):xtic(1) lc rgb "#56B4E9", \
  "" using 0:(column("time_s")*1e9):(column("least_s")*1e9):(column("most_s")*1e9) with yerrorbars lt 1 ps 0, \
  "" using 0:(column("most_s")*1e9):(sprintf("%.2f", column("handovers"))) with labels offset 0,0.7
