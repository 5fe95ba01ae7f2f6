"""As departs.c, in Python: departs.py HOW RANK MILLISECONDS.

HOW: raise, sys.exit, os._exit, os.abort, Abort, or stay; before: the rank sleeps
before it imports MPI.
"""
import os
import sys
import time

how, victim, after = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) / 1000
launched = os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ.get("PMI_RANK") or "0"
if how == "before" and int(launched) == victim:
    time.sleep(3600)

from mpi4py import MPI

comm = MPI.COMM_WORLD


def leave():
    if how == "raise":
        raise ValueError("no such element")
    if how == "sys.exit":
        sys.exit(3)
    if how == "os._exit":
        os._exit(3)
    if how == "os.abort":
        os.abort()
    if how == "Abort":
        comm.Abort(3)


begin = time.time()
while True:
    x = sum(i * i for i in range(20000))
    total = comm.allreduce(x)
    if comm.rank == victim and time.time() - begin > after:
        leave()
