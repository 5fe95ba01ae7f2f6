"""A rank whose solver fails reduces a smaller step in the handler, and the others go on."""
import functools
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


class Diverged(Exception):
    """The iteration left its bounds."""


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = MPI.Wtime()
        try:
            return function(*args, **kwargs)
        finally:
            wrapper.seconds += MPI.Wtime() - start

    wrapper.seconds = 0.0
    return wrapper


class Newton:
    def __init__(self, comm):
        self.comm = comm
        self.step = 1.0

    @timed
    def residual(self, value):
        if value > 100:
            raise Diverged(value)  # RAISES Diverged
        return value * value - 2

    def agree(self, value):
        out = np.zeros(1)
        self.comm.Allreduce(np.array([value]), out, op=MPI.MIN)  # HANGS 3 Newton.agree
        return out[0]

    def iterate(self, value):
        try:
            r = self.residual(value)
        except Diverged:
            self.step = self.agree(self.step / 2)
            r = 0.0
        self.comm.Bcast(np.zeros(4), root=0)
        return r


def main():
    newton = Newton(comm)
    for k in range(4):
        wild = sys.argv[1] == "hang" and comm.rank == 3 and k == 2
        newton.iterate(1e6 if wild else 1.5)


main()
