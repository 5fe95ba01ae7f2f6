#!/bin/bash
# Where is a running job that was not recorded? By hand, where ssh to its nodes is allowed:
#
#   attach.sh JOBID [DIR]
#
# One process a node looks at the ranks for 3 s; the job runs on.
set -euo pipefail

job=$1
dir=$(realpath -m "${2:-laggard-attach-$job}")

# exec_host is "n1/0*16+n2/0*16"; the directory is one that all nodes see.
nodes=$(qstat -f "$job" | tr -d '\n\t ' | grep -o 'exec_host=[^=]*' | grep -oE '[=+][^/]+/' | tr -d '=+/' | sort -u)
for node in $nodes; do
  ssh "$node" laggard attach --job "$job" -o "$dir" &
done
wait
laggard diagnose "$dir"
