#!/bin/bash
# A run under the recorder, as a Flux batch job:
#
#   flux batch -N 4 -n 256 -t 2h run.sh ./app input.txt
#
# submit.sh puts the analysis of a failure behind it.
#flux: --job-name=laggard-run
#flux: --output=laggard-run-{{id}}.out
set -euo pipefail

# The id of the batch job; the instance within has it as an attribute. All nodes
# must see the run directory.
rundir=laggard-$(flux getattr jobid)

# Two minutes before the limit every rank writes down where it is: Flux sends
# the signal, and the recorder takes it as the question.
export LAGGARD_SIGNAL=USR1

# exec puts the recorder into every rank; beside rank 0 it leaves a process that
# looks for a hang, prints the diagnosis and ends the job.
flux run -N "$(flux resource list -s up -no '{nnodes}')" -n "${RANKS:-$(flux resource list -s up -no '{ncores}')}" \
  --signal=SIGUSR1@120s \
  laggard exec -o "$rundir" -- "$@"
