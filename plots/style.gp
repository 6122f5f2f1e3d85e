# Shared by all figures. A script says NAME and SIZE, loads this, sets its axes and plots NAME.csv;
# gnuplot -e "FORMAT='svg'" figure4.gp makes figure4.svg.
if (!exists("FORMAT")) FORMAT = "svg"
if (!exists("WIDTH")) WIDTH = 16.0
if (!exists("HEIGHT")) HEIGHT = 10.0
if (FORMAT eq "pdf") set terminal pdfcairo size WIDTH cm, HEIGHT cm font "Sans,10" enhanced
if (FORMAT eq "svg") set terminal svg size WIDTH*50, HEIGHT*50 font "Sans,14" enhanced background "white"
if (FORMAT eq "png") set terminal pngcairo size WIDTH*50, HEIGHT*50 font "Sans,11" enhanced
set output NAME.".".FORMAT
set datafile separator ","
set datafile missing NaN
set key autotitle columnhead
set key noautotitle
set encoding utf8

# Okabe and Ito's colours, told apart by all eyes; shapes differ as well.
array COLOR[8] = ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999900"]
set linetype 1 lc rgb COLOR[1] lw 1.5 pt 6
set linetype 2 lc rgb COLOR[2] lw 1.5 pt 4
set linetype 3 lc rgb COLOR[3] lw 1.5 pt 8
set linetype 4 lc rgb COLOR[4] lw 1.5 pt 10
set linetype 5 lc rgb COLOR[5] lw 1.5 pt 12
set linetype 6 lc rgb COLOR[6] lw 1.5 pt 14
set linetype 7 lc rgb COLOR[7] lw 1.5 pt 1
set linetype 8 lc rgb COLOR[8] lw 1.5 pt 2
set linetype cycle 8

# model: lines. sim: open marks (even numbers above). run: filled marks.
set border 3 lw 0.8
set tics nomirror out
set grid lw 0.4 lc rgb "#dddddd"
set key top left Left reverse samplen 2

# Sizes on a log2 axis, as 4K, 1M.
set style fill solid 0.8 border lc rgb "black"
size_text(b) = b >= 2**30 ? sprintf("%gG", b/2.0**30) : b >= 2**20 ? sprintf("%gM", b/2.0**20) : b >= 1024 ? sprintf("%gK", b/1024.0) : sprintf("%g", b)
size_tics(axis, first, last) = "set logscale ".axis." 2; set format ".axis." ''; unset m".axis."tics; set ".axis."tics (); ".join_tics(axis, first, last)
join_tics(axis, first, last) = first > last ? "" : sprintf("set %stics add ('%s' %.0f); ", axis, size_text(first), first).join_tics(axis, first*2, last)
# The value of column y where column k is the text or number v, else nothing.
only(k, v, y) = strcol(k) eq v ? column(y) : NaN
# What the paper reports, published.csv: reads the row `id` into LOW_min and HIGH_min, as these are what stats makes. Before axes are set.
published(id) = join_stats(id, "low", "LOW").join_stats(id, "high", "HIGH")
join_stats(id, c, name) = sprintf("stats 'published.csv' using (strcol('id') eq '%s' ? column('%s') : NaN) nooutput name '%s'; ", id, c, name)
# A band of it behind what is drawn, along x or y.
band_x(n, low, high) = sprintf("set object %d rectangle from %g, graph 0 to %g, graph 1 fillcolor rgb '#e6e6e6' fillstyle solid noborder behind; ", n, low, high)
band_y(n, low, high) = sprintf("set object %d rectangle from graph 0, first %g to graph 1, first %g fillcolor rgb '#e6e6e6' fillstyle solid noborder behind; ", n, low, high)
PROTOCOLS = "pipelined counted slot_ring banked release_gather shared_source eager"
