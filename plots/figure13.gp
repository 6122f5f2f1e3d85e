# Fig. 13: every protocol against Open MPI's coll/sm.
NAME = "figure13"
WIDTH = 24.0
load "style.gp"
eval published("f13.long")
LOW = LOW_min; HIGH = HIGH_min
NODES = "broadwell-2x8 nehalem-2x4"
PEER = "banked"
SETUPS = "protocol queues"
array TITLES[2] = ["", "pipelined, peer's queues on rank 0's domain"]
set multiplot layout 1,2 title "Simulated, every core a rank, roots in turn; peer: banked (f = 8192, s = 8, q = 2, 4-ary), ours f = 8192, s = 64, q = 1, binary.\n{/*0.85 Grey: the paper's broadcast in the paper}"
load "peers.gp"
unset multiplot
