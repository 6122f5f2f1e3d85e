# Time to cut an algorithm's graph into parts, by METIS and by what `auto` finds; S3's figure.
NAME = "partition_time"
WIDTH = 20.0
load "style.gp"
stats 'published_s3.csv' using (strcol('id') eq 'p.65536' ? column('high') : NaN) nooutput name 'HIGH'
set multiplot layout 1,2 title "Graph, partition and mapping on this host; grey: measured on a Xeon E5420 (TopoMPI), up to" noenhanced
set xlabel "vertices"
set ylabel "t, s"
set logscale y
set yrange [1e-7:2]
eval band_y(1, 1e-7, HIGH_max)
eval size_tics("x", 1024, 65536)
at(alg, by, parts, y) = strcol("algorithm") eq alg && strcol("partitioner") eq by && column("parts") == parts && column("procs") <= 65536 ? y : NaN
do for [alg in "bruck recursive_doubling"] {
  set title alg noenhanced
  plot for [i=1:2] for [j=1:3] NAME.".csv" using (column("procs")):(at(alg, word("metis-rb auto", i), 64*2**j, column("time_s"))) with linespoints lt 2*i dt j title sprintf("%s, %d parts", word("metis-rb auto", i), 64*2**j) noenhanced
}
unset multiplot
