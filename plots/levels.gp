# S3's last figure: a message within a node and between nodes; its axes end at 7 ms.
NAME = "levels"
WIDTH = 24.0
HEIGHT = 9.0
load "style.gp"
set multiplot layout 1,2 title "One message on harpertown-2x4, simulated" noenhanced
set xlabel "message, B"
set ylabel "t, ms"
set yrange [0:7]
at(net, through) = strcol("network") eq net && strcol("through") eq through ? column("time_s")*1e3 : NaN
do for [net in "gigabit infiniband-ddr"] {
  set title net noenhanced
  eval size_tics("x", net eq "gigabit" ? 16 : 4096, net eq "gigabit" ? 4194304 : 8388608)
  if (net eq "gigabit") { set xtics ("16" 16, "256" 256, "4K" 4096, "64K" 65536, "1M" 1048576, "4M" 4194304) }
  plot NAME.".csv" using "size_bytes":(at(net, "memory")) with linespoints lt 1 title "shared memory", \
    "" using "size_bytes":(at(net, "network")) with linespoints lt 2 title net noenhanced
}
unset multiplot
