"""Power iteration that tests what the rank holds itself, so ranks make unequal numbers of iterations."""
import sys

import numpy as np
import petsc4py

petsc4py.init(sys.argv[:1])
from mpi4py import MPI  # noqa: E402
from petsc4py import PETSc  # noqa: E402

COMM = PETSc.COMM_WORLD


class Stencil:
    """A matrix without entries, by callbacks: the context of a Mat of type python."""

    def __init__(self, n):
        self.da = PETSc.DMDA().create([n], dof=1, stencil_width=1, comm=COMM)
        self.local = self.da.createLocalVec()

    def mult(self, matrix, x, y):
        self.da.globalToLocal(x, self.local)
        (first, last), = self.da.getRanges()
        u = self.da.getVecArray(self.local)
        v = self.da.getVecArray(y)
        n, = self.da.getSizes()
        for i in range(first, last):
            v[i] = 3.0 * u[i] - (u[i - 1] if i > 0 else 0.0) - (u[i + 1] if i < n - 1 else 0.0)

    def matrix(self):
        example = self.da.createGlobalVec()
        sizes = example.getSizes()
        return PETSc.Mat().createPython((sizes, sizes), context=self, comm=COMM)


class PowerIteration:
    """The tolerance goes by the smallest value on the rank, which should be that of all."""

    def __init__(self, matrix, tolerance):
        self.matrix = matrix
        self.x, self.y = matrix.createVecs()
        self.x.set(1.0)
        coarse = sys.argv[1] == "hang" and COMM.rank == 3
        self.tolerance = tolerance * (10 if coarse else 1)

    def change(self, old):
        difference = np.abs(self.x.getArray() - old).max()
        return COMM.tompi4py().allreduce(difference, op=MPI.MAX)

    def iterate(self):
        change, count = np.inf, 0
        while change > self.tolerance and count < 40:  # DECIDES
            old = self.x.getArray().copy()
            self.matrix.mult(self.x, self.y)
            self.y.scale(1.0 / self.y.norm())
            self.y.copy(self.x)
            change, count = self.change(old), count + 1
        return count

    def rayleigh(self):
        self.matrix.mult(self.x, self.y)
        squared = self.x.dot(self.x)  # HANGS 3 PowerIteration.rayleigh
        return self.x.dot(self.y) / squared  # HANGS 3 PowerIteration.rayleigh


def main():
    iteration = PowerIteration(Stencil(48).matrix(), 1e-3)
    count = iteration.iterate()
    PETSc.Sys.Print(f"{count} iterations: {iteration.rayleigh():.6f}")


main()
