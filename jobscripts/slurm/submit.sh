#!/bin/bash
# Submit a run, and behind it the analysis in case it fails. What follows goes
# to sbatch as it is:
#
#   submit.sh -N 4 -n 256 -t 2:00:00 run.sbatch ./app input.txt
#
# With the word afterany before it the run is analysed however it ends, for
# programs whose exit status does not tell.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# afternotok: the run failed, was cancelled, or reached its time limit.
when=afternotok
if [ "${1-}" = afterany ]; then
  when=afterany
  shift
fi

# --parsable prints the number of the job, and on some sites ;CLUSTER behind it.
job=$(sbatch --parsable "$@")
job=${job%%;*}

# --kill-on-invalid-dep takes the analysis out of the queue when the run ended
# well. The run directory is named for the job, see run.sbatch.
analysis=$(sbatch --parsable --dependency="$when:$job" --kill-on-invalid-dep=yes \
  "$here/diagnose.sbatch" "laggard-$job")
analysis=${analysis%%;*}

echo "run: job $job; if it fails, laggard-diagnosis-$analysis.txt will say where it stood"
