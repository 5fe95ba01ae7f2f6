#!/bin/bash
# For the administrator: part of an execjob_epilogue hook, or of Torque's
# mom_priv/epilogue.parallel, on every node. It brings what runs with a live_dir
# left on the node. Arguments: job id, user, group, as Torque gives them.
set -uo pipefail

# As the user: the link that leads to the run directory is the user's.
runuser -u "$2" -- laggard collect --live-dir /dev/shm

# An epilogue that fails may take the node out of service.
exit 0
