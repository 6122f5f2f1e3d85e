# Message rate over every channel: marked lines as measured, dashes as simulated, dots by the model.
NAME = "rate"
load "style.gp"
set title "Messages between two ranks of this host, warm buffers: a window of 64"
set xlabel "message, B"
set ylabel "million messages a second"
eval size_tics("x", 8, 4096)
set key top right
CHANNELS = "mp er sr zc combined"
of(source, channel, t) = strcol("source") eq source && strcol("channel") eq channel ? 1e-6/column(t) : NaN
plot for [i=1:5] NAME.".csv" using "size_bytes":(of("run", word(CHANNELS,i), "time_s")):(of("run", word(CHANNELS,i), "ci_high_s")):\
(of("run", word(CHANNELS,i), "ci_low_s")) with yerrorlines lt i ps 0.8 lw 0.8 title word(CHANNELS,i), \
  for [i=1:5] "" using "size_bytes":(of("sim", word(CHANNELS,i), "time_s")) with lines lt i dt 2 title i == 1 ? "simulated" : "", \
  for [i=1:5] "" using "size_bytes":(of("model", word(CHANNELS,i), "time_s")) with lines lt i dt 3 title i == 1 ? "model" : ""
