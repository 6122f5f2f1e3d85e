# S2's Fig. 6: the shortest message one way, by layer, over ER and SR; crosses are what S2 says.
NAME = "tianhe6"
load "style.gp"
set title "The shortest message one way between two nodes of the Tianhe, simulated"
set ylabel "t, us"
set style data histograms
set style histogram clustered gap 1
set boxwidth 0.9
set yrange [0:*]
set xrange [-0.6:5.6]
set xtics ("glex" 0, "uct" 1, "ucp" 2, "ofi" 3, "ch4" 4, "ch3" 5)
us(channel, c) = strcol("channel") eq channel ? column(c)*1e6 : NaN
plot NAME.".csv" using (floor((column(0)-1)/2)-0.2):(us("ER", "time_s")):(0.36) with boxes lt 2 title "ER", \
  "" using (floor((column(0)-1)/2)+0.2):(us("SR", "time_s")):(0.36) with boxes lt 3 title "SR", \
  "" using (floor((column(0)-1)/2)-0.2):(us("ER", "stated_s")) with points lt 1 pt 2 ps 1.5 title "Xie et al. (2020)"
