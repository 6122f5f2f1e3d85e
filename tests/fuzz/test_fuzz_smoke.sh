#!/bin/sh
# Every fuzz target for two seconds from its seeds; `make stress` gives them longer.
exec "$(dirname "$0")/run_fuzz.sh" 2
