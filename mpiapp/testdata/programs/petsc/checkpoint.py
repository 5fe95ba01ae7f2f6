"""Only the first rank writes the checkpoint, with a viewer that belongs to all."""
import os
import sys
import tempfile

import petsc4py

petsc4py.init(sys.argv[:1])
from petsc4py import PETSc  # noqa: E402

COMM = PETSc.COMM_WORLD


class Checkpoints:
    """Writes the solution every few steps: gathered on rank 0, or as a whole by a parallel viewer."""

    def __init__(self, every, path):
        self.every = every
        self.path = path

    def gathered(self, x):
        scatter, full = PETSc.Scatter.toZero(x)
        scatter.scatter(x, full)
        if COMM.rank == 0:
            full.getArray().tofile(self.path + ".raw")
        scatter.destroy()

    def parallel(self, x):
        viewer = PETSc.Viewer().createBinary(self.path, "w", comm=COMM)
        x.view(viewer)  # HANGS 0 Checkpoints.parallel
        viewer.destroy()

    def due(self, step, x):
        if step % self.every:
            return
        self.gathered(x)
        everybody = sys.argv[1] != "hang"
        if everybody or COMM.rank == 0:  # DECIDES
            self.parallel(x)


class Relaxation:
    def __init__(self, n):
        self.a = PETSc.Mat().createAIJ((n, n), nnz=(3, 2), comm=COMM)
        first, last = self.a.getOwnershipRange()
        for i in range(first, last):
            self.a.setValues([i], [j for j in (i - 1, i, i + 1) if 0 <= j < n],
                             [0.9 if j == i else 0.05 for j in (i - 1, i, i + 1) if 0 <= j < n])
        self.a.assemble()
        self.x, self.y = self.a.createVecs()
        self.x.set(1.0)

    def step(self):
        self.a.mult(self.x, self.y)
        self.x, self.y = self.y, self.x
        self.x.scale(1.0 / self.x.norm())


def main():
    folder = tempfile.mkdtemp() if COMM.rank == 0 else None
    folder = COMM.tompi4py().bcast(folder)
    checkpoints = Checkpoints(2, os.path.join(folder, "x"))
    relaxation = Relaxation(40)
    for step in range(6):
        relaxation.step()
        checkpoints.due(step, relaxation.x)


main()
