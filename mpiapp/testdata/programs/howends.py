"""A sum without end, in which a rank ends: howends.py HOW RANK MILLISECONDS"""
import os
import sys
import time

from mpi4py import MPI

how, victim, after = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) / 1000
comm = MPI.COMM_WORLD
begin = time.time()
while True:
    comm.allreduce(1)
    if comm.rank == victim and time.time() - begin > after:
        if how == "raise":
            raise ValueError("no convergence")
        if how == "sys.exit":
            sys.exit(3)
        if how == "os._exit":
            os._exit(3)
        if how == "interrupt":
            raise KeyboardInterrupt
