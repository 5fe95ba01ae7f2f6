"""A time stepper: what runs after each step does more on the rank where the reaction ignites."""
import sys

import numpy as np
import petsc4py

petsc4py.init(sys.argv[:1])
from petsc4py import PETSc  # noqa: E402

COMM = PETSc.COMM_WORLD


class Reactor:
    """Reaction and diffusion on a line by TS, with an explicit Runge-Kutta method."""

    def __init__(self, n):
        self.da = PETSc.DMDA().create([n], dof=1, stencil_width=1, comm=COMM)
        self.u = self.da.createGlobalVec()
        self.local = self.da.createLocalVec()
        self.largest = []
        self.ts = PETSc.TS().create(COMM)
        self.ts.setDM(self.da)
        self.ts.setType("rk")
        self.ts.setRHSFunction(self.rate, self.da.createGlobalVec())
        self.ts.setPostStep(self.after)
        self.ts.setTimeStep(0.01)
        self.ts.setMaxSteps(12)
        self.ts.setMaxTime(10.0)
        self.ts.setExactFinalTime(PETSc.TS.ExactFinalTime.STEPOVER)

    def rate(self, ts, t, x, f):
        self.da.globalToLocal(x, self.local)
        (first, last), = self.da.getRanges()
        u = self.da.getVecArray(self.local)
        v = self.da.getVecArray(f)
        n, = self.da.getSizes()
        for i in range(first, last):
            left, right = u[max(i - 1, 0)], u[min(i + 1, n - 1)]
            v[i] = left - 2.0 * u[i] + right + u[i] * (1.0 - u[i])

    def burning(self):
        here = self.u.getArray()
        local = sys.argv[1] == "hang" and len(self.largest) == 4 and COMM.rank == 2
        return local or bool((here > 5.0).any())

    def after(self, ts):
        self.largest.append(float(self.u.getArray().max()))
        if self.burning():  # DECIDES
            self.quench()

    def quench(self):
        mean = self.u.sum() / self.u.getSize()  # HANGS 2 Reactor.quench
        self.u.setArray(np.minimum(self.u.getArray(), mean))

    def run(self):
        (first, last), = self.da.getRanges()
        self.u.setArray(0.1 + 0.01 * np.arange(first, last))
        self.ts.solve(self.u)
        PETSc.Sys.Print(f"{self.ts.getStepNumber()} steps, {self.u.max()[1]:.4f}")


Reactor(40).run()
