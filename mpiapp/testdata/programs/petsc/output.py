"""The collector of one rank finds a file of all ranks earlier, and closes it alone in its destructor."""
import gc
import os
import sys
import tempfile
from dataclasses import dataclass

import petsc4py

petsc4py.init(sys.argv[:1])
from petsc4py import PETSc  # noqa: E402

COMM = PETSc.COMM_WORLD


class Output:
    """An HDF5 file that is written by all ranks, with a reference to who writes it."""

    def __init__(self, path, owner):
        self.owner = owner
        self.viewer = PETSc.ViewerHDF5().create(path, mode="w", comm=COMM)

    def write(self, x, name):
        x.setName(name)
        x.view(self.viewer)

    def close(self):
        self.viewer.destroy()  # HANGS 2 Output.close

    def __del__(self):
        self.close()


@dataclass
class Tracer:
    cell: int
    path: list


class Run:
    def __init__(self, folder, number, n=40):
        self.x = PETSc.Vec().createMPI(n, comm=COMM)
        self.number = number
        self.output = Output(os.path.join(folder, f"{number}.h5"), self)

    def save(self):
        self.x.set(1.0 + self.number)
        self.output.write(self.x, "x")

    def sum(self):
        return self.x.sum()


def traced(number):
    crowded = sys.argv[1] == "hang" and COMM.rank == 2 and number == 1
    tracers = [Tracer(k, [k]) for k in range(60_000 if crowded else 40)]
    return len(tracers)


def main():
    folder = tempfile.mkdtemp() if COMM.rank == 0 else None
    folder = COMM.tompi4py().bcast(folder)
    gc.collect()
    gc.set_threshold(30_000)
    for number in range(3):
        run = Run(folder, number)
        run.save()
        total = run.sum()
        del run
        count = traced(number)
        norm = Run(folder, 10 + number).sum()
        PETSc.Sys.Print(f"{total} {norm} of {count > 0}")
        gc.collect()


main()
