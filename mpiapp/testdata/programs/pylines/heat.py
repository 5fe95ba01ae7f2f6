"""Heat in a field whose rows are divided among ranks. With "types" the rows that are received are taken
for whole numbers; with "lost" the last round of sends is begun and not completed.
"""
import sys

import numpy
from mpi4py import MPI

from halo import Line

ROUNDS, WIDTH = 5, 16


class Heat:
    def __init__(self, comm, fault):
        self.line = Line(comm, WIDTH, numpy.int64 if fault == "types" else numpy.float64)
        self.field = numpy.full((4, WIDTH), float(comm.rank))
        self.lost = fault == "lost"

    def announce(self):
        for side, row in enumerate((self.field[0], self.field[-1])):
            self.line.begin(row, side)

    def rounds(self):
        for n in range(ROUNDS):
            self.announce()
            halo = numpy.zeros_like(self.field)
            yield from self.line.receive(halo)
            if n < ROUNDS - 1 or not self.lost:
                self.line.wait()
            self.field += halo / 4


if __name__ == "__main__":
    heat = Heat(MPI.COMM_WORLD, sys.argv[1] if len(sys.argv) > 1 else "")
    for _ in heat.rounds():
        pass
    MPI.COMM_WORLD.gather(float(heat.field.sum()))
    MPI.COMM_WORLD.Barrier()
