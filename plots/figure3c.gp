NAME = "figure3c"
TITLE = "Root and leaf: s = 8, q = 2, m = 8f; paper's node, f = 256 B"
load "style.gp"
load "timeline.gp"
