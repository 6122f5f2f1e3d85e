# What make bench measured: best to each MPI and to the copy limits, over sizes; a panel for each number of ranks.
NAME = "bench"
HEIGHT = 7.0
load "style.gp"
set multiplot layout 1,3
set ylabel "best / other"
set xlabel "message m, B"
set logscale y
set yrange [0.01:20]
eval size_tics("x", 8, 67108864)
set xtics ("8" 8, "512" 512, "32K" 32768, "2M" 2097152, "64M" 67108864)
set key top left font ",8" maxrows 3
OTHERS = "openmpi openmpi-sm mpich memcpy bound"
of(procs, other) = strcol("buffer_memory") eq "private" && strcol("what") eq "best" && strcol("to") eq other && column("procs") == procs ? column("ratio") : NaN
do for [p in "2 4 8"] {
    set title p." ranks"
    plot for [i=1:5] NAME.".csv" using "size_bytes":(of(p+0, word(OTHERS,i))):"least":"most" with yerrorbars lt i pt 7 ps 0.5 lw 0.7, \
      for [i=1:5] "" using "size_bytes":(of(p+0, word(OTHERS,i))) with lines lt i title p eq "2" ? word(OTHERS,i) : "", 1 with lines lc rgb "#808080" dt 3
}
unset multiplot
