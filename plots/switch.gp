# Switch points of Allgather, simulated: the fastest at a size is marked.
NAME = "switch"
load "style.gp"
set title "Simulated, 8 ranks of broadwell-2x8: Allgather, cold buffers; the fastest is marked"
set xlabel "block, B"
set ylabel "t, us"
eval size_tics("x", 8, 1048576)
set xtics ("8" 8, "32" 32, "128" 128, "512" 512, "2K" 2048, "8K" 8192, "32K" 32768, "128K" 131072, "512K" 524288)
set logscale y
WAYS = "direct ring recursive_doubling bruck neighbour_exchange sparbit"
of(way, y) = strcol("way") eq way ? y : NaN
plot for [i=1:6] NAME.".csv" using "size_bytes":(of(word(WAYS,i), column("time_s")*1e6)) with lines lt i title word(WAYS,i) noenhanced, \
  for [i=1:6] "" using "size_bytes":(of(word(WAYS,i), column("fastest") == 1 ? column("time_s")*1e6 : NaN)) with points lt i pt 7 ps 1.2
