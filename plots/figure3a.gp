NAME = "figure3a"
TITLE = "Root and leaf: s = 1, q = 1, m = 4f; paper's node, f = 256 B"
load "style.gp"
load "timeline.gp"
