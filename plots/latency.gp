# One way of a ping-pong over every channel: marked lines as measured; dashes as simulated, dots by the model.
NAME = "latency"
load "style.gp"
set title "Messages between two ranks of this host, warm buffers: one way of a ping-pong"
set xlabel "message, B"
set ylabel "t, us"
eval size_tics("x", 8, 4194304)
set xtics ("8" 8, "64" 64, "512" 512, "4K" 4096, "32K" 32768, "256K" 262144, "2M" 2097152)
set logscale y
CHANNELS = "mp er sr zc combined"
of(source, channel, t) = strcol("source") eq source && strcol("channel") eq channel ? column(t)*1e6 : NaN
plot for [i=1:5] NAME.".csv" using "size_bytes":(of("run", word(CHANNELS,i), "time_s")):(of("run", word(CHANNELS,i), "ci_low_s")):\
(of("run", word(CHANNELS,i), "ci_high_s")) with yerrorlines lt i ps 0.8 lw 0.8 title word(CHANNELS,i), \
  for [i=1:5] "" using "size_bytes":(of("sim", word(CHANNELS,i), "time_s")) with lines lt i dt 2 title i == 1 ? "simulated" : "", \
  for [i=1:5] "" using "size_bytes":(of("model", word(CHANNELS,i), "time_s")) with lines lt i dt 3 title i == 1 ? "model" : ""
