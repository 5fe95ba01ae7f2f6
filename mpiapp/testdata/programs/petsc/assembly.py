"""A rank that owns no rows returns before the assembly of the matrix, and goes on to the right-hand side."""
import sys

import petsc4py

petsc4py.init(sys.argv[:1])
from petsc4py import PETSc  # noqa: E402


class Poisson:
    """The Laplacian on a line of few unknowns, in blocks of two: there are fewer blocks than ranks."""

    def __init__(self, comm, unknowns):
        self.comm = comm
        self.unknowns = unknowns
        local = 2 if comm.rank < unknowns // 2 else 0
        self.matrix = PETSc.Mat().createAIJ(((local, unknowns), (local, unknowns)), nnz=(3, 2), comm=comm)
        self.solution, self.rhs = self.matrix.createVecs()

    def assemble(self):
        self.assemble_matrix()
        self.assemble_rhs()

    def assemble_matrix(self):
        first, last = self.matrix.getOwnershipRange()
        if first == last and sys.argv[1] == "hang":  # DECIDES
            return
        for row in range(first, last):
            self.matrix.setValue(row, row, 2.0)
            for column in (row - 1, row + 1):
                if 0 <= column < self.unknowns:
                    self.matrix.setValue(row, column, -1.0)
        self.matrix.assemblyBegin()
        self.matrix.assemblyEnd()

    def assemble_rhs(self):
        first, last = self.rhs.getOwnershipRange()
        for row in range(first, last):
            self.rhs.setValue(row, 1.0 / (self.unknowns + 1) ** 2)
        self.rhs.assemblyBegin()
        self.rhs.assemblyEnd()

    def solve(self):
        ksp = PETSc.KSP().create(self.comm)
        ksp.setOperators(self.matrix)
        ksp.setType("cg")
        ksp.getPC().setType("jacobi")
        ksp.solve(self.rhs, self.solution)  # HANGS 3 Poisson.solve
        return ksp.getConvergedReason()


def main():
    problem = Poisson(PETSc.COMM_WORLD, 6)
    problem.assemble()
    reason = problem.solve()
    norm = problem.solution.norm()
    PETSc.Sys.Print(f"converged for reason {reason}, norm {norm:.3e}")


main()
