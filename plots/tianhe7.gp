# S2's Fig. 7: two MPIs over ER and SR, both with zero copy for what is long.
NAME = "tianhe7"
load "style.gp"
set title "Two nodes of the Tianhe, simulated: time against the message, ping-pong"
set xlabel "message, B"
set ylabel "t, us"
eval size_tics("x", 1, 4194304)
set xtics ("1" 1, "16" 16, "128" 128, "1K" 1024, "4K" 4096, "32K" 32768, "256K" 262144, "4M" 4194304)
set logscale y
of(layer, channel) = strcol("layer") eq layer && strcol("channel") eq channel ? column("time_s")*1e6 : NaN
plot NAME.".csv" using "size_bytes":(of("ch4", "ER")) with linespoints lt 2 title "CH4, ER", \
  "" using "size_bytes":(of("ch4", "SR")) with linespoints lt 3 title "CH4, SR", \
  "" using "size_bytes":(of("ch3", "ER")) with linespoints lt 2 dt 2 title "CH3, ER", \
  "" using "size_bytes":(of("ch3", "SR")) with linespoints lt 3 dt 2 title "CH3, SR"
