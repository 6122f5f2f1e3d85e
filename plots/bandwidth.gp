# Streams over every channel: marked lines as measured, dashes as simulated, dots by the model.
NAME = "bandwidth"
load "style.gp"
set title "Messages between two ranks of this host, warm buffers: a window of 64, or of 64 MiB"
set xlabel "message, B"
set ylabel "GB/s"
eval size_tics("x", 256, 16777216)
set xtics ("256" 256, "1K" 1024, "4K" 4096, "16K" 16384, "64K" 65536, "256K" 262144, "1M" 1048576, "4M" 4194304, "16M" 16777216)
CHANNELS = "mp er sr zc combined"
of(source, channel, t) = strcol("source") eq source && strcol("channel") eq channel ? column("size_bytes")/column(t)/1e9 : NaN
plot for [i=1:5] NAME.".csv" using "size_bytes":(of("run", word(CHANNELS,i), "time_s")):(of("run", word(CHANNELS,i), "ci_high_s")):\
(of("run", word(CHANNELS,i), "ci_low_s")) with yerrorlines lt i ps 0.8 lw 0.8 title word(CHANNELS,i), \
  for [i=1:5] "" using "size_bytes":(of("sim", word(CHANNELS,i), "time_s")) with lines lt i dt 2 title i == 1 ? "simulated" : "", \
  for [i=1:5] "" using "size_bytes":(of("model", word(CHANNELS,i), "time_s")) with lines lt i dt 3 title i == 1 ? "model" : ""
