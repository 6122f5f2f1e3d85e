# J of an application's mapping relative to block's, by partitioner; each point one matrix.
NAME = "applications"
WIDTH = 18.0
HEIGHT = 11.0
load "style.gp"
SAMPLES = "stencil2d stencil3d holes groups power_law"
WAYS = "auto scotch metis-kway cyclic"
set title "J relative to rank after rank: 64, 120 and 250 ranks on nodes of nehalem-2x4, InfiniBand DDR"
set ylabel "J to block's"
set logscale y 2
set yrange [0.12:6]
set xrange [-0.6:9.6]
set key top right
set xtics rotate by 20 right
set xtics ()
do for [s=1:5] {
  set xtics add (word(SAMPLES, s) (s - 1))
  set xtics add (word(SAMPLES, s).", shuffled" (s + 4))
}
set xtics noenhanced
place(s, n) = (n eq "shuffled" ? 5 : 0) + (sum [i=1:5] (word(SAMPLES, i) eq s ? i - 1 : 0))
plot for [w=1:4] NAME.".csv" using (place(strcol("sample"), strcol("numbering")) + 0.18*(w - 2.5)):(only("partitioner", word(WAYS, w), "j_to_block")) \
  with points lt w+1 title word(WAYS, w) noenhanced
