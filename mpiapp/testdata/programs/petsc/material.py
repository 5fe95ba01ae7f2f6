"""A callback raises on one rank within a nonlinear solve; the driver catches it there and tries a smaller load."""
import sys

import numpy as np
import petsc4py

petsc4py.init(sys.argv[:1])
from mpi4py import MPI  # noqa: E402
from petsc4py import PETSc  # noqa: E402

COMM = PETSc.COMM_WORLD

class Material:
    """Stress by a table of strains that ends somewhere."""

    def __init__(self, limit):
        self.strains = np.linspace(0.0, limit, 20)
        self.stresses = np.tanh(self.strains)

    def stress(self, strain):
        if np.abs(strain).max() > self.strains[-1]:
            raise ValueError("strain is off the table")  # RAISES ValueError
        return np.sign(strain) * np.interp(np.abs(strain), self.strains, self.stresses)


class Bar:
    """A bar that is pulled, by finite differences; Newton's method by PETSc's SNES."""

    def __init__(self, n, material):
        self.material = material
        self.load = 0.0
        self.da = PETSc.DMDA().create([n], dof=1, stencil_width=1, comm=COMM)
        self.u = self.da.createGlobalVec()
        self.residual = self.da.createGlobalVec()
        self.local = self.da.createLocalVec()
        self.snes = PETSc.SNES().create(COMM)
        self.snes.setDM(self.da)
        self.snes.setFunction(self.function, self.residual)
        self.snes.setUseMF(True)
        self.snes.getKSP().setType("gmres")
        self.snes.getKSP().getPC().setType("none")
        self.snes.setTolerances(max_it=5)

    def function(self, snes, x, f):
        self.da.globalToLocal(x, self.local)
        (first, last), = self.da.getRanges()
        (begin, _), = self.da.getGhostRanges()
        values = self.local.getArray()
        inner = values[first - begin:last - begin]
        f.setArray(inner + 0.1 * self.material.stress(inner) - self.load)

    def pull(self, load):
        self.load = load
        try:
            self.snes.solve(None, self.u)
        except ValueError:
            self.u.set(0.0)
            return self.retry(load / 2)
        return self.u.norm(PETSc.NormType.NORM_INFINITY)

    def retry(self, load):
        return COMM.tompi4py().allreduce(load, op=MPI.MIN)  # HANGS 1 Bar.retry


def main():
    limit = 0.5 if sys.argv[1] == "hang" and COMM.rank == 1 else 50.0
    bar = Bar(64, Material(limit))
    for load in (0.1, 0.3, 0.9):
        reached = bar.pull(load)
        PETSc.Sys.Print(f"load {load}: {reached:.4f}")


main()
