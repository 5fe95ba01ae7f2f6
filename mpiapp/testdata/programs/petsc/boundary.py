"""A callback raises on one rank and nothing catches it: the rank leaves, the others wait within the solver."""
import sys

import petsc4py

petsc4py.init(sys.argv[:1])
from mpi4py import MPI  # noqa: E402
from petsc4py import PETSc  # noqa: E402

COMM = PETSc.COMM_WORLD


class Preconditioner:
    """The context of a PC of type python: divides by the diagonal, which must not vanish."""

    def __init__(self, boundary):
        self.boundary = boundary
        self.applied = 0

    def setUp(self, pc):
        matrix, _ = pc.getOperators()
        self.diagonal = matrix.getDiagonal()

    def apply(self, pc, x, y):
        self.applied += 1
        y.pointwiseDivide(x, self.diagonal)
        values = y.getArray()
        for row in self.rows():
            factor = self.boundary[row]
            values[row] *= factor
        self.largest = COMM.tompi4py().allreduce(float(abs(values).max()), op=MPI.MAX)

    def rows(self):
        first, _ = self.diagonal.getOwnershipRange()
        wrong = sys.argv[1] == "hang" and COMM.rank == 3 and self.applied == 4
        return ["wall"] if wrong else [0]


class Boundary:
    def __init__(self, factors):
        self.factors = factors

    def __getitem__(self, row):
        return self.factors[row]  # ENDS 3 KeyError


def matrix(n):
    a = PETSc.Mat().createAIJ((n, n), nnz=(3, 2), comm=COMM)
    first, last = a.getOwnershipRange()
    for row in range(first, last):
        for column, value in ((row - 1, -1.0), (row, 2.0), (row + 1, -1.0)):
            if 0 <= column < n:
                a.setValue(row, column, value)
    a.assemble()
    return a


def main():
    a = matrix(60)
    x, b = a.createVecs()
    b.set(1.0)
    ksp = PETSc.KSP().create(COMM)
    ksp.setOperators(a)
    ksp.setType("cg")
    pc = ksp.getPC()
    pc.setType("python")
    pc.setPythonContext(Preconditioner(Boundary({0: 1.0})))
    ksp.solve(b, x)
    PETSc.Sys.Print(f"{ksp.getIterationNumber()} iterations, {x.norm():.6f}")


main()
