# Switch points of Allgather on this host: measured as marked lines, simulated as dashes, the fastest filled.
NAME = "host_switch"
HEIGHT = 9.0
load "style.gp"
stats NAME.".csv" using "cores" nooutput
CORES = int(STATS_max)
set multiplot layout 1,2
set xlabel "block, B"
set ylabel "t, us"
eval size_tics("x", 8, 1048576)
set xtics ("8" 8, "128" 128, "2K" 2048, "32K" 32768, "512K" 524288)
set logscale y
set key top left font ",8"
of(source, procs, way, y) = strcol("source") eq source && column("procs") == procs && strcol("way") eq way ? y : NaN
best(y) = column("fastest") == 1 ? y : NaN
WAYS2 = "direct mp er sr zc combined"
set title "2 ranks, cold buffers"
plot for [i=1:6] NAME.".csv" using "size_bytes":(of("run", 2, word(WAYS2,i), column("time_s")*1e6)) with lines lt i title word(WAYS2,i), \
  for [i=1:6] "" using "size_bytes":(of("run", 2, word(WAYS2,i), best(column("time_s")*1e6))) with points lt i pt 7, \
  for [i=1:6] "" using "size_bytes":(of("sim", 2, word(WAYS2,i), column("time_s")*1e6)) with lines lt i dt 2 title i == 1 ? "simulated" : ""
WAYS4 = "direct ring recursive_doubling bruck neighbour_exchange sparbit"
set title "4 ranks".(CORES < 4 ? sprintf(" on %d cores, warm buffers", CORES) : ", cold buffers")
plot for [i=1:6] NAME.".csv" using "size_bytes":(of("run", 4, word(WAYS4,i), column("time_s")*1e6)) with lines lt i title word(WAYS4,i) noenhanced, \
  for [i=1:6] "" using "size_bytes":(of("run", 4, word(WAYS4,i), best(column("time_s")*1e6))) with points lt i pt 7, \
  for [i=1:6] "" using "size_bytes":(of("sim", 4, word(WAYS4,i), column("time_s")*1e6)) with lines lt i dt 2 title i == 1 ? "simulated" : ""
unset multiplot
