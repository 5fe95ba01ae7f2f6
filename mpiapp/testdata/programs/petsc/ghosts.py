"""Ghost values are updated only where the last step has changed something, which is not so on one rank."""
import sys

import numpy as np
import petsc4py

petsc4py.init(sys.argv[:1])
from petsc4py import PETSc  # noqa: E402


class Heat:
    """Explicit heat equation in two dimensions on a DMDA."""

    def __init__(self, n):
        self.da = PETSc.DMDA().create([n, n], dof=1, stencil_width=1, proc_sizes=(1, PETSc.COMM_WORLD.size),
                                      comm=PETSc.COMM_WORLD)
        self.u = self.da.createGlobalVec()
        self.local = self.da.createLocalVec()
        self.moved = np.inf
        self.initial()

    def initial(self):
        (x0, x1), (y0, y1) = self.da.getRanges()
        u = self.da.getVecArray(self.u)
        cold = sys.argv[1] == "hang" and PETSc.COMM_WORLD.rank == 0
        for j in range(y0, y1):
            for i in range(x0, x1):
                u[i, j] = 0.0 if cold else np.sin(0.3 * i) * np.cos(0.2 * j)

    def exchange(self):
        if self.moved < 1e-12:
            return
        self.da.globalToLocal(self.u, self.local)

    def step(self, dt):
        self.exchange()
        (x0, x1), (y0, y1) = self.da.getRanges()
        n = self.da.getSizes()[0]
        old = self.da.getVecArray(self.local)
        new = self.da.getVecArray(self.u)
        self.moved = 0.0
        for j in range(max(y0, 1), min(y1, n - 1)):
            for i in range(max(x0, 1), min(x1, n - 1)):
                change = dt * (old[i + 1, j] + old[i - 1, j] + old[i, j + 1] + old[i, j - 1] - 4 * old[i, j])
                if j < y1 - 1 or y0 > 0:
                    new[i, j] = old[i, j] + change
                    self.moved = max(self.moved, abs(change))

    def energy(self):
        return self.u.dot(self.u)  # HANGS 0 Heat.energy

    def run(self, steps):
        for number in range(steps):
            self.step(0.1)
            if number % 3 == 2:
                PETSc.Sys.Print(f"step {number}: energy {self.energy():.6f}")


Heat(16).run(6)
