# The segment: a row for the common blocks, then one for each rank; colour tells the domain.
NAME = "figure1"
HEIGHT = 10
load "style.gp"
stats NAME.".csv" using (strcol("block") eq "total" ? column("size_bytes")/1024 : NaN) nooutput
TOTAL = STATS_max
set title sprintf("Segment of 8 ranks alternating between two domains: s = 8, f = 8K, q = 2, page 4K; %g KiB", TOTAL)
set xlabel "offset within the row, KiB"
set yrange [7.7:-1.7]
set xrange [0:100]
set ytics ("common" -1)
set for [r=0:7] ytics add (sprintf("rank %d", r) r)
set grid noytics
set key outside bottom center horizontal
RANGE = 96.0
start(o) = o < 12 ? o : (o - 12) - RANGE*int((o - 12)/RANGE)
kind(b, d) = strcol("block") eq b && column("domain") == d
box(b, d) = kind(b, d) ? start(column("offset_bytes")/1024) : NaN
y(b) = b eq "leaders" || b eq "set" ? -1 : column("owner")
plot \
  NAME.".csv" using (box("leaders",0)):(y("leaders")):(box("leaders",0)):(box("leaders",0)+column("size_bytes")/1024):(y("leaders")-0.36):(y("leaders")+0.36) with boxxyerror lc rgb COLOR[6] title "leaders", \
  "" using (box("set",0)):(y("set")):(box("set",0)):(box("set",0)+column("size_bytes")/1024):(y("set")-0.36):(y("set")+0.36) with boxxyerror lc rgb COLOR[4] title "sets", \
  "" using (box("control",0)):(y("control")):(box("control",0)):(box("control",0)+column("size_bytes")/1024):(y("control")-0.36):(y("control")+0.36) with boxxyerror lc rgb COLOR[2] title "control, domain 0", \
  "" using (box("fragment",0)):(y("fragment")):(box("fragment",0)):(box("fragment",0)+column("size_bytes")/1024):(y("fragment")-0.36):(y("fragment")+0.36) with boxxyerror lc rgb COLOR[7] title "fragments, domain 0", \
  "" using (box("control",1)):(y("control")):(box("control",1)):(box("control",1)+column("size_bytes")/1024):(y("control")-0.36):(y("control")+0.36) with boxxyerror lc rgb COLOR[3] title "control, domain 1", \
  "" using (box("fragment",1)):(y("fragment")):(box("fragment",1)):(box("fragment",1)+column("size_bytes")/1024):(y("fragment")-0.36):(y("fragment")+0.36) with boxxyerror lc rgb COLOR[5] title "fragments, domain 1"
