# Table 1: queue size in MiB, coloured by band.
NAME = "table1"
HEIGHT = 12
load "style.gp"
set title "Queue b = f s in MiB: blue to 10, orange to 100, purple above"
set xlabel "slots s"
set ylabel "fragment f"
set xtics ()
set for [i=1:9] xtics add (sprintf("f/%d", 2**i) i)
set ytics ()
set for [i=1:16] ytics add (sprintf("%d", 4096*i) i)
set yrange [16.6:0.4]
set xrange [0.4:9.6]
unset grid
set style fill solid 1 border lc rgb "white"
band(b) = column("band") == b ? log(column("divisor"))/log(2) : NaN
y(z) = column("fragment_bytes")/4096
plot for [b=0:2] NAME.".csv" using (band(b)):(y(0)):(band(b)-0.5):(band(b)+0.5):(y(0)-0.5):(y(0)+0.5) with boxxyerror lc rgb (b == 0 ? "#bcdcf0" : b == 1 ? "#f7d58a" : "#e6bcd3"), \
  "" using (log(column("divisor"))/log(2)):(y(0)):(strcol("buffer_text")) with labels
