#!/bin/bash
# Where is a running job that was not recorded? By hand, on a login node:
#
#   attach.sh JOBID [DIR]
#
# One process a node looks at the ranks for 3 s; the job runs on.
set -euo pipefail

job=$1
dir=$(realpath -m "${2:-laggard-attach-$job}")

# --overlap: beside the step that runs. --nodes: outside of the job srun would take one of its
# nodes. The directory is one that all nodes see. attach is no MPI program. Status 4: some of what was there could not be read.
nodes=$(squeue --noheader --jobs="$job" --format=%D)
srun --overlap --jobid="$job" --nodes="$nodes" --ntasks-per-node=1 --mpi=none laggard attach --job "$job" -o "$dir" || [ $? -eq 4 ]
laggard diagnose "$dir"
