#!/bin/bash
# Submit a run, and behind it the analysis in case it fails. What follows goes
# to flux batch as it is:
#
#   submit.sh -N 4 -n 256 -t 2h run.sh ./app input.txt
#
# With the word afterany before it the run is analysed however it ends.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# afternotok: the job failed, was cancelled, or ran into its limit.
when=afternotok
if [ "${1-}" = afterany ]; then
  when=afterany
  shift
fi

# flux batch prints the id of the job, and of nothing else.
job=$(flux batch "$@")

# A job whose dependency can no longer come true is cancelled by Flux itself.
flux batch -n 4 --dependency="$when:$job" "$here/diagnose.sh" "laggard-$job"
