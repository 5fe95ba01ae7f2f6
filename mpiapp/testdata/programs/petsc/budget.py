"""A convergence test of a user stops the solver on the rank whose time is up, not on all."""
import sys

import petsc4py

petsc4py.init(sys.argv[:1])
from mpi4py import MPI  # noqa: E402
from petsc4py import PETSc  # noqa: E402

REASON = PETSc.KSP.ConvergedReason


class Budget:
    """Ends a solve after a tolerance is met or the time for it is used up."""

    def __init__(self, tolerance, units):
        self.tolerance = tolerance
        self.units = units
        self.used = 0

    def spent(self):
        slow = sys.argv[1] == "hang" and PETSc.COMM_WORLD.rank == 2
        self.used += 5 if slow else 1
        return self.used > self.units

    def __call__(self, ksp, iteration, norm):
        if iteration == 0:
            self.used = 0
        if norm < self.tolerance:
            return REASON.CONVERGED_ATOL
        if self.spent():
            return REASON.CONVERGED_ITS
        return REASON.CONVERGED_ITERATING


def laplacian(n):
    matrix = PETSc.Mat().createAIJ((n, n), nnz=3, comm=PETSc.COMM_WORLD)
    first, last = matrix.getOwnershipRange()
    for row in range(first, last):
        matrix[row, row] = 2.01
        if row > 0:
            matrix[row, row - 1] = -1.0
        if row < n - 1:
            matrix[row, row + 1] = -1.0
    matrix.assemble()
    return matrix


class Solver:
    def __init__(self, n):
        self.matrix = laplacian(n)
        self.x, self.b = self.matrix.createVecs()
        self.ksp = PETSc.KSP().create(PETSc.COMM_WORLD)
        self.ksp.setOperators(self.matrix)
        self.ksp.setType("cg")
        self.ksp.getPC().setType("jacobi")
        self.ksp.setConvergenceTest(Budget(1e-8, 40))

    def residual(self):
        r = self.b.duplicate()
        self.matrix.mult(self.x, r)
        r.aypx(-1.0, self.b)
        return r.norm()

    def run(self, steps):
        for step in range(steps):
            self.b.set(1.0 + step)
            self.ksp.solve(self.b, self.x)
            self.log(step)

    def log(self, step):
        worst = PETSc.COMM_WORLD.tompi4py().allreduce(self.x.getArray().max(), op=MPI.MAX)  # HANGS 2 Solver.log
        PETSc.Sys.Print(f"step {step}: {self.ksp.getIterationNumber()} iterations, {worst:.3e} {self.residual():.1e}")


Solver(200).run(3)
