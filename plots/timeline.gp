# Boxes from a step's start to its end; what of it was waiting is pale. Steps that cost nothing are strokes.
set title TITLE
set xlabel "time, us"
set yrange [1.9:-0.9]
set ytics ("root" 0, "leaf" 1)
set grid noytics
set key outside bottom center horizontal
FILE = NAME.".csv"
us(c) = column(c)*1e6
is(s) = strcol("step") eq s
from(s) = is(s) ? us("wait_end_s") : NaN
waits(s) = is(s) && column("wait_end_s") > column("start_s") ? us("start_s") : NaN
free(s) = is(s) && column("wait_end_s") == column("end_s") ? us("end_s") : NaN
r = "rank"
STEPS = "C W WO A"
FREE = "WS SO N"
plot \
  for [i=1:4] FILE using (from(word(STEPS,i))):(column(r)):(from(word(STEPS,i))):(us("end_s")):(column(r)-0.3):(column(r)+0.3) with boxxyerror lc rgb COLOR[i+1] title word(STEPS,i), \
  for [i=1:3] "" using (waits(word("W WO WS",i))):(column(r)):(waits(word("W WO WS",i))):(us("wait_end_s")):(column(r)-0.12):(column(r)+0.12) with boxxyerror fs solid 0.25 lc rgb "#888888" title (i == 1 ? "waiting" : ""), \
  for [i=1:3] "" using (free(word(FREE,i))):(column(r)-0.45):(0):(0.9) with vectors nohead lw 1.5 lc rgb COLOR[i+5-4*(i==3)] title word(FREE,i)
