# What make bench measured of messages between two ranks: latency, bandwidth and rate over sizes, for every channel and MPI.
NAME = "p2p"
HEIGHT = 8.0
load "style.gp"
set multiplot layout 1,3
set xlabel "message m, B"
WAYS = "er sr mp zc combined openmpi mpich readv"
of(pattern, way) = strcol("algorithm") eq pattern && strcol("what") eq way
latency_us(way, t) = of("pingpong", way) ? column(t)*1e6 : NaN
bandwidth(way, t) = of("stream", way) ? column("size_bytes")/column(t)/1e9 : NaN
rate(way, t) = of("stream", way) && column("size_bytes") <= 4096 ? 1e-6/column(t) : NaN
eval size_tics("x", 8, 4194304)
set xtics ("8" 8, "512" 512, "32K" 32768, "2M" 2097152)
set logscale y
set key top left font ",8" maxrows 8
set title "one way of a ping-pong"
set ylabel "t, us"
plot for [i=1:7] NAME.".csv" using "size_bytes":(latency_us(word(WAYS,i),"time_s")):(latency_us(word(WAYS,i),"least_s")):\
(latency_us(word(WAYS,i),"most_s")) with yerrorbars lt i ps 0.5 lw 0.7, \
  for [i=1:7] "" using "size_bytes":(latency_us(word(WAYS,i),"time_s")) with lines lt i title word(WAYS,i), \
  "" using "size_bytes":(latency_us("handover","time_s")) with lines lc rgb "#808080" dt 3 title "a hand-over"
set title "window: bandwidth"
set ylabel "GB/s"
set key bottom right
plot for [i=1:8] NAME.".csv" using "size_bytes":(bandwidth(word(WAYS,i),"time_s")):(bandwidth(word(WAYS,i),"most_s")):\
(bandwidth(word(WAYS,i),"least_s")) with yerrorbars lt i ps 0.5 lw 0.7, \
  for [i=1:8] "" using "size_bytes":(bandwidth(word(WAYS,i),"time_s")) with lines lt i title i == 8 ? "readv" : ""
set title "window: message rate"
set ylabel "M/s"
set xrange [8:4096]
set xtics ("8" 8, "64" 64, "512" 512, "4K" 4096)
plot for [i=1:7] NAME.".csv" using "size_bytes":(rate(word(WAYS,i),"time_s")):(rate(word(WAYS,i),"most_s")):\
(rate(word(WAYS,i),"least_s")) with yerrorbars lt i ps 0.5 lw 0.7, \
  for [i=1:7] "" using "size_bytes":(rate(word(WAYS,i),"time_s")) with lines lt i
unset multiplot
