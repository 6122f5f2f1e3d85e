# Fig. 12: every protocol against MVAPICH's.
NAME = "figure12"
WIDTH = 24.0
load "style.gp"
eval published("f12.long")
LOW = LOW_min; HIGH = HIGH_min
NODES = "nehalem-2x4 broadwell-2x8"
PEER = "slot_ring"
SETUPS = "protocol queues leader"
array TITLES[3] = ["", "pipelined, peer's queues on rank 0's domain", "pipelined, peer's roots send to rank 0 first"]
set multiplot layout 1,2 title "Simulated, every core a rank, roots in turn; peer: slot ring (f = 8192, w = 128, flat), ours f = 8192, s = 64, q = 1, binary.\n{/*0.85 Grey: the paper's broadcast in the paper}"
load "peers.gp"
unset multiplot
