"""A generator makes a collective for each step, and one rank stops asking it for more."""
import itertools
import sys

import numpy as np
from mpi4py import MPI


class Operator:
    """A matrix with three diagonals, of which each rank has some rows."""

    def __init__(self, comm, n=8):
        self.comm = comm
        self.n = n

    def dot(self, a, b):
        total = np.empty(1)
        self.comm.Allreduce(np.array([np.dot(a, b)]), total)
        return float(total[0])

    def __matmul__(self, x):
        y = 4.0 * x
        y[1:] -= x[:-1]
        y[:-1] -= x[1:]
        return y


def descent(operator, b):
    """Steepest descent: yields the solution and its residual after each step."""
    x = np.zeros_like(b)
    r = b - operator @ x
    while True:
        rr = operator.dot(r, r)
        yield x, rr**0.5
        q = operator @ r
        x += rr / operator.dot(r, q) * r
        r = b - operator @ x


def watched(steps, every=4):
    """Passes the steps on, and keeps the residuals of some of them."""
    history = []
    for n, (x, residual) in enumerate(steps):
        if n % every == 0:
            history.append(residual)
        yield x, residual, history


class Tolerance:
    def __init__(self, relative):
        self.relative = relative
        self.first = None

    def __call__(self, step):
        residual = step[1]
        self.first = self.first or residual
        return residual > self.relative * self.first


def solve(operator, b, relative):
    steps = watched(itertools.islice(descent(operator, b), 200))
    last = None
    for last in itertools.takewhile(Tolerance(relative), steps):
        pass
    return last


def main(comm=MPI.COMM_WORLD):
    loose = sys.argv[1] == "hang" and comm.rank == 0
    b = np.arange(8.0) + comm.rank
    x, residual, history = solve(Operator(comm), b, relative=1e-2 if loose else 1e-6)
    parts = np.empty((comm.size, len(x)))
    comm.Allgather(x, parts)  # HANGS 0 main
    if comm.rank == 0:
        print(f"residual {residual:.2e} after {len(history)} reports, norm {parts.sum():.3f}")


main()
