#!/bin/bash
# The analysis of the core files of a run; it needs no compute nodes, and runs
# as well on a login node.
#
#   diagnose.sh 4711
set -euo pipefail
job=$1
[ -d "cores-$job" ] || exit 0 # the run ended well
rundir=laggard-$job

# The text files become a run directory: a stack for each rank.
laggard import -o "$rundir" "cores-$job"/core.*

# Groups of ranks by where they are; files of the machine the job ran on are
# looked for below the roots of the settings (configs/bluegene.toml).
laggard diagnose "$rundir" >"$rundir.txt"
