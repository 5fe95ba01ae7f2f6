#!/bin/bash
# For the administrator: part of the Epilog of slurm.conf, which runs on every
# node after every job, however it ended. It brings what the runs of this user
# left in the node's live_dir into their run directories; files of jobs that
# still run are left alone.
set -uo pipefail

# As in live.sbatch, or as the site's TOML file has it (live_dir).
live=/dev/shm

# As the user, not as root: the link that leads to the run directory is the
# user's, and so is that directory. setpriv is part of util-linux.
setpriv --reuid="$SLURM_JOB_UID" --regid="$(id -g "$SLURM_JOB_UID")" --init-groups \
  laggard collect --live-dir "$live"

# A node must not be drained because a user's directory is gone or full.
exit 0
