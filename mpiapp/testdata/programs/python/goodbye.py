"""What runs at exit is collective, and a rank that failed comes to it alone."""
import atexit
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


class Timers:
    def __init__(self):
        self.seconds = np.zeros(3)

    def summary(self):
        out = np.zeros(3)
        comm.Allreduce(self.seconds, out, op=MPI.MAX)  # HANGS 3 Timers.summary
        if comm.rank == 0:
            print("seconds", out)


timers = Timers()
atexit.register(timers.summary)


def advance(n):
    if sys.argv[1] == "hang" and comm.rank == 3 and n == 1:
        raise RuntimeError("negative pressure")  # RAISES RuntimeError
    timers.seconds[0] += 1


for n in range(3):
    advance(n)
    comm.Barrier()
