# Fig. 5: time against the fragment, b = 4 MiB, chain.
NAME = "figure5"
load "style.gp"
set title "Simulated (marks) and extended model (lines): b = 4 MiB, s = b/f, q = 1, chain"
set xlabel "fragment f, B"
set ylabel "time, us"
eval size_tics("x", 2048, 32768)
set logscale y 2
set key outside right
SERVERS = "nehalem-2x4 broadwell-2x8"
SIZES = "16384 32768 65536"
at(n, m, y) = strcol("node") eq word(SERVERS, n) && strcol("size_bytes") eq word(SIZES, m) ? column(y)*1e6 : NaN
plot for [n=1:2] for [m=1:3] NAME.".csv" using "fragment_bytes":(at(n,m,"time_s")) with points lt 3*(n-1)+m title sprintf("%s, %s", word(SERVERS,n), size_text(int(word(SIZES,m)))), \
  for [n=1:2] for [m=1:3] "" using "fragment_bytes":(at(n,m,"model_s")) with lines lt 3*(n-1)+m
