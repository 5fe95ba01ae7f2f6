"""The local iteration of a material within the callback of SNES does not end at one point of one rank."""
import sys

import numpy as np
import petsc4py

petsc4py.init(sys.argv[:1])
from petsc4py import PETSc  # noqa: E402

COMM = PETSc.COMM_WORLD


class Plasticity:
    def __init__(self, hardening):
        self.hardening = hardening

    def stress(self, strain):
        return np.array([self.return_map(e) for e in strain])

    def return_map(self, strain):
        plastic, residual = 0.0, 1.0
        damping = 2.0 if sys.argv[1] == "hang" and COMM.rank == 1 and strain > 0.35 else 1.0
        while abs(residual) > 1e-10:  # HANGS 1 Plasticity.return_map
            residual = strain - plastic - self.hardening * plastic - 0.2  # HANGS 1 Plasticity.return_map
            plastic += damping * residual / (1.0 + self.hardening)  # HANGS 1 Plasticity.return_map
        return strain - plastic


class Column:
    """Equilibrium at each point of a DMDA, with a line search."""

    def __init__(self, n):
        self.law = Plasticity(0.5)
        self.da = PETSc.DMDA().create([n], dof=1, stencil_width=1, comm=COMM)
        self.u = self.da.createGlobalVec()
        self.snes = PETSc.SNES().create(COMM)
        self.snes.setDM(self.da)
        self.snes.setFunction(self.residual, self.da.createGlobalVec())
        self.snes.setUseMF(True)
        self.snes.getKSP().getPC().setType("none")
        self.snes.setMonitor(self.monitor)
        self.force = 0.0

    def residual(self, snes, x, f):
        f.setArray(self.law.stress(x.getArray()) + 0.5 * x.getArray() - self.force)

    def monitor(self, snes, iteration, norm):
        largest = self.u.max()[1]
        PETSc.Sys.Print(f"  {iteration}: {norm:.3e}, {largest:.3f}")

    def push(self, force):
        self.force = force
        self.snes.solve(None, self.u)
        return self.u.norm(PETSc.NormType.NORM_2)


column = Column(32)
for step in range(1, 6):
    PETSc.Sys.Print(f"{column.push(0.1 * step):.6f}")
