#!/bin/bash
# A run on a Blue Gene/Q under Cobalt. Nothing can be preloaded into a statically
# linked program there; what a failed job leaves is one lightweight core file a
# rank, and diagnose.sh reads those.
#
#   qsub -n 512 -t 60 --mode script run.sh ./app input.txt
#
# submit.sh puts the analysis behind it.
set -euo pipefail

# The core files go to a directory of their own.
cores=$PWD/cores-$COBALT_JOBID
mkdir -p "$cores"

# COREDUMPONEXIT: every rank leaves a core file, however it ends, so also the
# ranks of a hung job that is told to end: timeout does that two minutes before
# the limit of one hour. (COREDUMPONERROR would do for a job that fails by
# itself, and only for the ranks that do.)
timeout --signal=TERM "${BEFORE_LIMIT:-3480}" \
  runjob --block "$COBALT_PARTNAME" --ranks-per-node "${RANKS_PER_NODE:-16}" --np "${RANKS:-$((COBALT_JOBSIZE * 16))}" \
  --envs BG_COREDUMPONEXIT=1 BG_COREDUMPPATH="$cores" \
  : "$@"

# Here the run has ended well, and nobody wants its core files.
rm -r "$cores"
