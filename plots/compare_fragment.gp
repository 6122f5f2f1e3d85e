# What compare wrote: time against the fragment, a panel a message size, a colour a queue length.
NAME = "compare_fragment"
WIDTH = 24
HEIGHT = 18
load "style.gp"
DATA = NAME.".csv"
SIZES = system("awk -F, 'NR==1 {for (i=1;i<=NF;i++) if ($i==\"size_bytes\") c=i; next} !seen[$c]++ {printf \"%s \", $c}' ".DATA)
QUEUES = system("awk -F, 'NR==1 {for (i=1;i<=NF;i++) {if ($i==\"fragment_bytes\") f=i; if ($i==\"slots\") s=i}; next} $f && !seen[$f*$s]++ {printf \"%.0f \", $f*$s}' ".DATA)
N = words(SIZES); Q = words(QUEUES)
# The queue of a row: the listed length it is nearest to.
mine(m, q) = strcol("size_bytes") eq m && column("fragment_bytes")*column("slots") == q
us(source, variant, m, q, c) = strcol("source") eq source && strcol("variant") eq variant && mine(m, q) ? column(c)*1e6 : NaN
LIST = Q > 2 ? word(QUEUES,1)." ".word(QUEUES,2) : QUEUES
Q = words(LIST)
set multiplot layout (N+1)/2, (N > 1 ? 2 : 1) title "Broadcast on this host: line extended model, dotted paper's form, open sim, filled run (bars: 95 %), dashed one cold memcpy;\nthin lines: the paper's terms [m/f] t_w (dash-dot) and [m/b] t_c (dash-dot-dot)"
set xlabel "fragment f, B"
set ylabel "time, us"
eval size_tics("x", 256, 1048576)
set key bottom right
do for [m=1:N] {
  M = word(SIZES, m)
  # Scaled by the times; a bar of an unquiet host may leave the panel.
  set yrange [*:*]
  stats DATA using (strcol("size_bytes") eq M ? column("time_s")*1e6 : NaN) nooutput
  set yrange [0:STATS_max*1.25]
  set title size_text(int(M))
  plot for [q=1:Q] DATA using "fragment_bytes":(us("model", "extended", M, word(LIST,q)+0, "time_s")) with lines lt 1+q title "b = ".size_text(int(word(LIST,q))), \
    for [q=1:Q] "" using "fragment_bytes":(us("model", "paper", M, word(LIST,q)+0, "time_s")) with lines lt 1+q dt 3, \
    for [q=1:Q] "" using "fragment_bytes":(us("sim", "", M, word(LIST,q)+0, "time_s")) with points lt 1+q pt 2+2*q ps 1.3, \
    for [q=1:Q] "" using "fragment_bytes":(us("run", "", M, word(LIST,q)+0, "time_s")):(us("run", "", M, word(LIST,q)+0, "ci_low_s")):(us("run", "", M, word(LIST,q)+0, "ci_high_s")) with yerrorbars lt 1+q pt 3+2*q, \
    for [q=1:1] "" using "fragment_bytes":(us("run", "", M, word(LIST,q)+0, "memcpy_cold_s")) with lines lt 1 dt 2, \
    for [q=1:Q] "" using "fragment_bytes":(us("model", "paper", M, word(LIST,q)+0, "term_notify_s")) with lines lt 1+q lw 0.6 dt 4, \
    for [q=1:Q] "" using "fragment_bytes":(us("model", "paper", M, word(LIST,q)+0, "term_fill_s")) with lines lt 1+q lw 0.6 dt 5
}
unset multiplot
