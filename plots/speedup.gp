# How much faster Allgather is when its ranks are renumbered; the band is what was measured (TopoMPI).
NAME = "speedup"
HEIGHT = 14.0
load "style.gp"
set multiplot layout 2,2 title "64 ranks on 8 nodes of harpertown-2x4, simulated; grey: measured (TopoMPI)" noenhanced
set ylabel "speed-up"
set logscale y 2
set style fill solid 0.3 noborder
at(net, range, alg, way, y) = strcol("network") eq net && strcol("range") eq range && strcol("algorithm") eq alg && strcol("numbering") eq way ? y : NaN
do for [net in "gigabit infiniband-ddr"] {
  do for [range in "short long"] {
    set title net.", ".range noenhanced
    set xlabel "block, KiB"
    set xtics 4
    if (range eq "long") { set xtics 256 }
    set yrange [0.5:256]
    if (net eq "infiniband-ddr") { set yrange [0.5:64] }
    plot NAME.".csv" using (column("size_bytes")/1024):(at(net, range, "bruck", "reorder", column("reported_low"))):(column("reported_high")) with filledcurves lc rgb "#cccccc", \
      for [i=1:2] "" using (column("size_bytes")/1024):(at(net, range, word("bruck recursive_doubling", i), "exch.", column("speedup"))) with linespoints lt 2*i title word("bruck recursive_doubling", i)." exch." noenhanced, \
      for [i=1:2] "" using (column("size_bytes")/1024):(at(net, range, word("bruck recursive_doubling", i), "reorder", column("speedup"))) with linespoints lt 2*i+1 title word("bruck recursive_doubling", i)." reorder" noenhanced
  }
}
unset multiplot
