# Bruck's graph of 12 ranks in three parts, as TopoMPI draws it: rank after rank, and with the least that can cross.
NAME = "graph"
WIDTH = 18.0
HEIGHT = 10.0
load "style.gp"
WAYS = "block auto"
array CUT[2]
do for [w=1:2] {
  stats NAME.".csv" using (strcol("partitioner") eq word(WAYS, w) && strcol("what") eq "rank" ? column("weight") : NaN) nooutput name "CROSS"
  CUT[w] = CROSS_max
}
unset border
unset xtics
unset ytics
unset grid
set size ratio -1
set xrange [-3.6:3.6]
set yrange [-2.9:3.6]
edge(way, crosses, x) = strcol("partitioner") eq way && strcol("what") eq "edge" && column("part") == crosses ? x : NaN
rank(way, part, x) = strcol("partitioner") eq way && strcol("what") eq "rank" && column("part") == part ? x : NaN
set multiplot layout 1,2 title "Bruck, 12 ranks in 3 parts: blocks along edges; red ones cross"
do for [w=1:2] {
  way = word(WAYS, w)
  set title sprintf("%s: %.0f blocks cross", way, CUT[w])
  plot NAME.".csv" using (edge(way, 0, column("x"))):"y":(column("x_end") - column("x")):(column("y_end") - column("y")) with vectors nohead lw 1.5 lc rgb "#999999", \
    "" using (edge(way, 1, column("x"))):"y":(column("x_end") - column("x")):(column("y_end") - column("y")) with vectors nohead lw 1.5 lc rgb "#d55e00", \
    "" using (edge(way, 1, 0.65*column("x") + 0.35*column("x_end"))):(0.65*column("y") + 0.35*column("y_end")):"weight" with labels font ",8" textcolor rgb "#d55e00", \
    for [p=0:2] "" using (rank(way, p, column("x"))):"y" with points pt 7 ps 3.2 lc rgb word("#e69f00 #56b4e9 #009e73", p+1), \
    for [p=0:2] "" using (rank(way, p, column("x"))):"y":"a" with labels
}
unset multiplot
