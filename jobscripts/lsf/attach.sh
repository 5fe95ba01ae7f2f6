#!/bin/bash
# Where is a running job that was not recorded? By hand:
#
#   attach.sh JOBID [DIR]
#
# One process a node looks at the ranks for 3 s; the job runs on.
set -euo pipefail

job=$1
dir=$(realpath -m "${2:-laggard-attach-$job}")

# EXEC_HOST is "16*n1:16*n2"; the directory is one that all nodes see.
hosts=$(bjobs -noheader -o exec_host "$job" | tr ':' '\n' | sed 's/^[0-9]*\*//' | sort -u | tr '\n' ' ')
LSB_JOBID=$job blaunch -z "$hosts" laggard attach --job "$job" -o "$dir"
laggard diagnose "$dir"
