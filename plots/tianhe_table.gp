# S2's text against the simulation, as a table.
NAME = "tianhe_table"
WIDTH = 30
HEIGHT = 11
load "style.gp"
set title "Figures 6 to 9 of Xie et al. (2020), and the simulation"
unset border
unset tics
unset grid
unset key
set xrange [0:100]
set yrange [18:-1]
set label 1 "Fig." at 0,-0.6; set label 2 "what" at 4,-0.6; set label 3 "paper" at 34,-0.6; set label 4 "simulated" at 56,-0.6; set label 5 "verdict" at 90,-0.6
plot NAME.".csv" skip 1 using (0):0:(strcol(1)) with labels left, "" skip 1 using (4):0:(strcol(2)) with labels left, \
  "" skip 1 using (34):0:(strcol(3)) with labels left, "" skip 1 using (56):0:(strcol(4)) with labels left, \
  "" skip 1 using (90):0:(strcol(5)) with labels left
