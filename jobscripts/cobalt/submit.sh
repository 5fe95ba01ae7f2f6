#!/bin/bash
# Submit a run, and behind it the analysis. What follows goes to qsub as it is:
#
#   submit.sh -n 512 -t 60 --mode script run.sh ./app input.txt
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# Cobalt's qsub prints the number of the job.
job=$(qsub "$@")

# Cobalt knows one dependency: the other job has ended, however it did.
# diagnose.sh does nothing if it ended well.
qsub --dependencies="$job" -n 1 -t 10 --mode script "$here/diagnose.sh" "$job"
