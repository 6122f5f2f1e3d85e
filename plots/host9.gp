# Fig. 9 on this host with two ranks: 16 MiB against the fragment with 32 slots.
NAME = "host9"
load "style.gp"
set title "This host, two ranks: 16 MiB, s = 32, q = 1; bars: 95 % interval of the median"
set xlabel "fragment f, B"
set ylabel "time, us"
eval size_tics("x", 4096, 65536)
set key top right
us(source, c) = strcol("source") eq source ? column(c)*1e6 : NaN
plot NAME.".csv" using "fragment_bytes":(us("model", "time_s")) with lines lt 2 title "extended model", \
  "" using "fragment_bytes":(us("sim", "time_s")) with points lt 4 title "sim", \
  "" using "fragment_bytes":(us("run", "time_s")):(us("run", "ci_low_s")):(us("run", "ci_high_s")) with yerrorbars lt 3 pt 7 title "run", \
  "" using "fragment_bytes":(us("run", "memcpy_cold_s")) with lines lt 1 dt 2 title "one cold memcpy"
