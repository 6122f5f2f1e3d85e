NAME = "figure3b"
TITLE = "Root and leaf: s = 4, q = 1, m = 8f; paper's node, f = 256 B"
load "style.gp"
load "timeline.gp"
