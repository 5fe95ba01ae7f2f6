"""Each rank cleans PETSc's garbage up when its own memory is short, which is so on one rank first."""
import sys

import petsc4py

petsc4py.init(sys.argv[:1])
from petsc4py import PETSc  # noqa: E402

COMM = PETSc.COMM_WORLD


class Memory:
    """Counts what is held by objects that were made, and cleans up beyond a limit."""

    def __init__(self, limit):
        self.limit = limit
        self.held = 0

    def account(self, vector):
        refined = sys.argv[1] == "hang" and COMM.rank == 2
        self.held += vector.getSize() * (3 if refined else 1)
        self.clean()

    def clean(self):
        if self.held > self.limit:  # DECIDES
            PETSc.garbage_cleanup(COMM)  # HANGS 2 Memory.clean
            self.held = 0


class Level:
    """A problem with a cycle of references, so that Python's collector ends it."""

    def __init__(self, n):
        self.x = PETSc.Vec().createMPI(n, comm=COMM)
        self.ksp = PETSc.KSP().create(COMM)
        self.matrix = PETSc.Mat().createAIJ((n, n), nnz=1, comm=COMM)
        first, last = self.matrix.getOwnershipRange()
        for row in range(first, last):
            self.matrix[row, row] = 2.0 + row
        self.matrix.assemble()
        self.ksp.setOperators(self.matrix)
        self.ksp.setType("gmres")
        self.ksp.getPC().setType("none")
        self.owner = self

    def solve(self):
        b = self.x.duplicate()
        b.set(1.0)
        self.ksp.solve(b, self.x)
        return self.x.norm()


def main():
    memory = Memory(450)
    for n in (40, 80, 160, 320, 80, 40):
        level = Level(n)
        norm = level.solve()
        memory.account(level.x)
        PETSc.Sys.Print(f"{n} unknowns: {norm:.6f}")


main()
