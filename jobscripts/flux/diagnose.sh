#!/bin/bash
# The analysis of a run that has ended; submit.sh puts it behind the run.
#
#   flux batch -n 4 diagnose.sh laggard-RUN
#flux: --job-name=laggard-diagnose
#flux: --time-limit=10m
#flux: --output=laggard-diagnosis-{{id}}.txt
set -euo pipefail

# laggard-mpich where the site's MPI is of the MPICH family, as is usual with
# Flux; the output is the same.
flux run -n 4 laggard-mpich diagnose "$@"
