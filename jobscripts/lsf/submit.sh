#!/bin/bash
# Submit a run, and behind it the analysis in case it fails. What follows goes
# to bsub as it is:
#
#   submit.sh -n 256 -R 'span[ptile=64]' -W 2:00 ./run.lsf ./app input.txt
#
# With the word afterany before it the run is analysed however it ends.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# exit: the job's status was not 0, or it was killed, by hand or at its limit.
when="exit"
if [ "${1-}" = afterany ]; then
  when="ended"
  shift
fi

# -wa and -wt: the signal to the job, two minutes before its limit. bsub says
# "Job <4711> is submitted …".
said=$(bsub -J laggard-run -o 'laggard-run-%J.out' -wt 2 -wa USR1 "$@")
job=${said#*<}
job=${job%%>*}

# -ti takes the analysis out of the queue when the run ended well.
bsub -J laggard-diagnose -n 4 -W 0:10 -o 'laggard-diagnosis-%J.txt' -w "$when($job)" -ti \
  "$here/diagnose.lsf" "laggard-$job"
