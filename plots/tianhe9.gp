# S2's Fig. 9: message rate of two MPIs over ER; S2 does not say how long its rings are.
NAME = "tianhe9"
load "style.gp"
set title "Two nodes of the Tianhe, simulated: messages a second over ER, by the length of the ring"
set xlabel "message, B"
set ylabel "million messages a second"
eval size_tics("x", 1, 8192)
set key bottom left
set yrange [0:*]
RINGS = "65536 32768 16384 8192"
of(layer, ring) = strcol("layer") eq layer && column("ring_bytes") == ring ? column("messages_per_s")/1e6 : NaN
plot for [i=1:4] NAME.".csv" using "size_bytes":(of("ch4", word(RINGS,i)+0)) with linespoints lt i+1 title "CH4, ".size_text(word(RINGS,i)+0), \
  for [i=1:4] "" using "size_bytes":(of("ch3", word(RINGS,i)+0)) with linespoints lt i+1 dt 2 title "CH3, ".size_text(word(RINGS,i)+0)
