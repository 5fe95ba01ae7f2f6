#!/bin/bash
# Where is a running job that was not recorded? For a job that is a Flux instance of
# its own (flux batch, flux alloc), by hand:
#
#   attach.sh JOBID [DIR]
#
# One process a node looks at the ranks for 3 s; the job runs on.
set -euo pipefail

job=$1
dir=$(realpath -m "${2:-laggard-attach-$job}")

# The directory is one that all nodes see.
flux proxy "$job" flux exec laggard attach -o "$dir"
laggard diagnose "$dir"
