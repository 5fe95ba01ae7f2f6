#!/bin/bash
# Where is a running job that was not recorded? By hand, on a login node:
#
#   attach.sh JOBID [DIR]
#
# One process a node looks at the ranks for 3 s; the job runs on.
set -euo pipefail

job=$1
dir=$(realpath -m "${2:-laggard-attach-$job}")

# --overlap: beside the step that runs. The directory is one that all nodes see.
srun --overlap --jobid="$job" --ntasks-per-node=1 laggard attach --job "$job" -o "$dir"
laggard diagnose "$dir"
