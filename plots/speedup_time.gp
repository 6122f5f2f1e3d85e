# S3's figures of time: Allgather in its own numbering and renumbered, the optimisation added to one call.
NAME = "speedup_time"
WIDTH = 24.0
HEIGHT = 16.0
load "style.gp"
set multiplot layout 2,2 title "Simulated, 64 ranks on 8 nodes of harpertown-2x4: the call that optimises; dashed: in TopoMPI's time" noenhanced
set ylabel "t, ms"
set yrange [0:*]
at(net, range, alg, way, y) = strcol("network") eq net && strcol("range") eq range && strcol("algorithm") eq alg && strcol("numbering") eq way ? column(y)*1e3 : NaN
do for [net in "gigabit infiniband-ddr"] {
  do for [range in "short long"] {
    set title net.", ".range noenhanced
    set xlabel "block, KiB"
    set xtics 4
    if (range eq "long") { set xtics 256 }
    plot for [i=1:2] NAME.".csv" using (column("size_bytes")/1024):(at(net, range, word("bruck recursive_doubling", i), "default", "time_s")) with linespoints lt i title word("bruck recursive_doubling", i) noenhanced, \
      for [i=1:2] for [j=1:2] "" using (column("size_bytes")/1024):(at(net, range, word("bruck recursive_doubling", i), word("exch. reorder", j), "time_first_s")) with linespoints lt 2*i+j title word("bruck recursive_doubling", i)." ".word("exch. reorder", j) noenhanced, \
      for [i=1:2] for [j=1:2] "" using (column("size_bytes")/1024):(at(net, range, word("bruck recursive_doubling", i), word("exch. reorder", j), "time_first_s3_s")) with lines lt 2*i+j dt 2 notitle
  }
}
unset multiplot
