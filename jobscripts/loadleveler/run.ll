#!/bin/bash
# A run on a Blue Gene under LoadLeveler, and behind it as a second step of the
# same job the analysis of the core files it leaves:
#
#   llsubmit run.ll
#
# The lines with # @ are read by llsubmit; each "queue" ends a step. Write the
# program into APP below.
#
# The first step: the run. bg_size is the number of compute nodes.
# @ job_name = laggard
# @ step_name = run
# @ job_type = bluegene
# @ bg_size = 512
# @ wall_clock_limit = 02:00:00
# @ output = $(job_name)-$(jobid)-$(step_name).out
# @ error = $(output)
# @ queue
#
# The second step, on the front end, and only if the first one failed: its status
# is not 0, also when it was cancelled or ran into its limit.
# @ step_name = diagnose
# @ job_type = serial
# @ dependency = ( run != 0 )
# @ wall_clock_limit = 00:10:00
# @ output = $(job_name)-$(jobid)-$(step_name).txt
# @ queue
set -euo pipefail

# Both steps run this script; LOADL_STEP_NAME tells which one it is. The name of
# the job is that of the step without its number.
job=${LOADL_STEP_ID%.*}
cores=$PWD/cores-$job
app=(./app input.txt)

case $LOADL_STEP_NAME in
run)
  mkdir -p "$cores"
  # Nothing can be preloaded into a statically linked program. COREDUMPONEXIT:
  # every rank leaves a lightweight core file, a text with a stack of addresses,
  # however it ends. Two minutes before the limit timeout ends a hung job so.
  # runjob is that of a Blue Gene/Q; a Blue Gene/P has
  #   mpirun -mode VN -np 2048 -env "BG_COREDUMPONEXIT=1" -cwd "$cores" -exe …
  timeout --signal=TERM 7080 \
    runjob --ranks-per-node 16 --np 8192 --envs BG_COREDUMPONEXIT=1 BG_COREDUMPPATH="$cores" : "${app[@]}"
  rm -r "$cores" # the run has ended well
  ;;
diagnose)
  # The text files become a run directory, and that is diagnosed.
  laggard import -o "laggard-$job" "$cores"/core.*
  laggard diagnose "laggard-$job"
  ;;
esac
