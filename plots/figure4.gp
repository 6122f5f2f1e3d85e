# Fig. 4: the model's time against the fragment, and the two terms that trade against each other.
NAME = "figure4"
load "style.gp"
stats NAME.".csv" using "fragment_opt_bytes":"time_opt_s" nooutput
F = STATS_min_x; T = STATS_min_y*1e6
set title "16 MiB through 4 MiB: t = 1 ns/B, t_w = 50t, t_{wo} = 100t, t_A = 10t"
set xlabel "fragment f, B"
set ylabel "time, us"
set y2label "term, us"
set y2tics
set border 11
set ytics nomirror
eval size_tics("x", 2048, 65536)
set xrange [2048:65536]
set yrange [16700:17300]
set y2range [0:600]
set key top center
set arrow from F, graph 0 to F, graph 1 nohead dt 3 lc rgb "#666666"
set label sprintf("f* = %.1f B, %.3f us", F, T) at F*1.05, 16740
plot NAME.".csv" using "fragment_bytes":(column("time_s")*1e6) with lines lt 1 title "t(m, s), s = b/f", \
  "" using "fragment_bytes":(column("executable_s")*1e6) with lines lt 2 lw 0.8 title "with whole slots", \
  "" using "fragment_bytes":(column("fill_s")*1e6) axes x1y2 with lines lt 3 dt 2 title "[m/b] t_c (right)", \
  "" using "fragment_bytes":(column("notify_s")*1e6) axes x1y2 with lines lt 4 dt 4 title "[m/f] t_w (right)"
