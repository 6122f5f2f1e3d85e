# What compare wrote: time against the message above, errors relative to run below.
NAME = "compare_size"
WIDTH = 18
HEIGHT = 18
load "style.gp"
DATA = NAME.".csv"
us(source, variant, c) = strcol("source") eq source && strcol("variant") eq variant ? column(c)*1e6 : NaN
percent(source, variant) = strcol("source") eq source && strcol("variant") eq variant ? column("error")*100 : NaN
eval size_tics("x", 8, 268435456)
set xlabel "message m, B"
set multiplot layout 2, 1 title "Broadcast on this host, queues as predicted"
set ylabel "time, us"
set logscale y
set key top left
plot DATA using "size_bytes":(us("model", "extended", "time_s")) with lines lt 2 title "extended model", \
  "" using "size_bytes":(us("model", "paper", "time_s")) with lines lt 5 dt 3 title "paper's form", \
  "" using "size_bytes":(us("sim", "", "time_s")) with points lt 4 pt 6 ps 1.4 title "sim", \
  "" using "size_bytes":(us("run", "", "time_s")):(us("run", "", "ci_low_s")):(us("run", "", "ci_high_s")) with yerrorbars lt 3 pt 7 title "run, 95 % interval", \
  "" using "size_bytes":(us("run", "", "memcpy_cold_s")) with lines lt 1 dt 2 title "one cold memcpy", \
  "" using "size_bytes":(us("run", "", "copy_bound_s")) with lines lt 1 dt 4 title "all cores copy a share"
unset logscale y
set ylabel "error against run, %"
set yrange [-60:60]
set xzeroaxis lt 1
# The first line is there even where nothing could be run.
plot DATA using "size_bytes":(0) with lines lt 1 lw 0.5, "" using "size_bytes":(percent("model", "extended")) with linespoints lt 2 title "extended model", \
  "" using "size_bytes":(percent("model", "paper")) with linespoints lt 5 dt 3 title "paper's form", \
  "" using "size_bytes":(percent("sim", "")) with linespoints lt 4 title "sim"
unset multiplot
