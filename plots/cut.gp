# Cut against time: numberings of one Allgather, by network and algorithm.
NAME = "cut"
WIDTH = 20.0
HEIGHT = 16.0
load "style.gp"
set multiplot layout 2,2 title "Simulated, 64 ranks on 8 nodes of harpertown-2x4, blocks of 512 KiB" noenhanced
set ylabel "t, ms"
set xlabel "cut, blocks between nodes"
set yrange [0:*]
set xrange [0:4200]
set key bottom right
at(net, alg, remap, y) = strcol("network") eq net && strcol("algorithm") eq alg && strcol("remap") eq remap ? y : NaN
do for [net in "gigabit infiniband-ddr"] {
  do for [alg in "bruck recursive_doubling"] {
    set title net.", ".alg noenhanced
    plot NAME.".csv" using (column("cut")):(at(net, alg, "none", column("time_s")*1e3)) with points lt 1 title "default", \
      "" using (column("cut")):(at(net, alg, "exch", column("time_s")*1e3)) with points lt 2 title "exch.", \
      "" using (column("cut")):(at(net, alg, "reorder", column("time_s")*1e3)) with points lt 3 title "reorder"
  }
}
unset multiplot
