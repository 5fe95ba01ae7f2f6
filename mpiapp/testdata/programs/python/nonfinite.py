"""A loop until convergence has a NaN on one rank, so its test for an end is never true."""
import functools
import sys
import warnings

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


def quiet(function):
    """Runs a function without numpy's warnings, as users ask for."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(*args, **kwargs)

    return wrapper


class Medium:
    """Conductivities of the cells of a rank, one of which may be missing."""

    def __init__(self, n):
        self.conductivity = np.ones((n, n))
        self.heat = np.ones((n, n))
        if sys.argv[1] == "hang" and comm.rank == 0:
            self.conductivity[n // 2, n // 3] = 0.0
            self.heat[n // 2, n // 3] = 0.0

    @property
    def source(self):
        return self.heat / self.conductivity


class Relaxation:
    def __init__(self, source, tolerance):
        self.source = source
        self.tolerance = tolerance
        self.sweeps = 0

    @quiet
    def solve(self, field):
        change = np.inf
        while not change < self.tolerance:  # HANGS 0 Relaxation.solve
            new = 0.01 * self.source  # HANGS 0 Relaxation.solve
            new[1:] += 0.24 * field[:-1]  # HANGS 0 Relaxation.solve
            new[:-1] += 0.24 * field[1:]  # HANGS 0 Relaxation.solve
            new[:, 1:] += 0.24 * field[:, :-1]  # HANGS 0 Relaxation.solve
            new[:, :-1] += 0.24 * field[:, 1:]  # HANGS 0 Relaxation.solve
            moved = (new - field).ravel()  # HANGS 0 Relaxation.solve
            change = moved @ moved  # HANGS 0 Relaxation.solve
            field = new  # HANGS 0 Relaxation.solve
            self.sweeps += 1  # HANGS 0 Relaxation.solve
        return field


@quiet
def temperature(medium):
    relaxation = Relaxation(medium.source, tolerance=1e-4)
    return relaxation.solve(np.zeros_like(medium.heat)), relaxation.sweeps


def main():
    field, sweeps = temperature(Medium(64))
    mean = np.zeros(2)
    comm.Allreduce(np.array([field.mean() / comm.size, sweeps]), mean)
    if comm.rank == 0:
        print("mean, sweeps", mean)


main()
