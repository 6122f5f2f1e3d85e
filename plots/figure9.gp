# Fig. 9: the saw-tooth on two servers, simulated.
NAME = "figure9"
load "style.gp"
set title "Simulated (marks) and extended model (lines): two ranks, 16 MiB, s = 32, q = 1"
set xlabel "fragment f, B"
set ylabel "time, us"
eval size_tics("x", 4096, 65536)
set key center right
SERVERS = "nehalem-2x4 broadwell-2x8"
plot for [n=1:2] NAME.".csv" using "fragment_bytes":(only("node", word(SERVERS,n), "time_s")*1e6) with points lt n+1 title word(SERVERS,n), \
  for [n=1:2] "" using "fragment_bytes":(only("node", word(SERVERS,n), "model_s")*1e6) with lines lt n+1
