#!/bin/bash
# Submit a run, and behind it the analysis in case it fails. What follows goes
# to qsub as it is:
#
#   submit.sh -l select=4:ncpus=64:mpiprocs=64 -l walltime=2:00:00 -v APP="./app input.txt" run.pbs
#
# With the word afterany before it the run is analysed however it ends.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# afternotok: the script's exit status was not 0, or the job was deleted.
when=afternotok
if [ "${1-}" = afterany ]; then
  when=afterany
  shift
fi

# qsub prints the id of the job, number and server. PBS deletes the analysis when
# the run ended well.
job=$(qsub "$@")
qsub -W depend="$when:$job" -v RUNDIR="laggard-$job" "$here/diagnose.pbs"
