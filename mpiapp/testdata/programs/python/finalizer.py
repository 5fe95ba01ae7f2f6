"""The garbage collector of one rank runs early and finds an object whose end is a collective."""
import gc
import sys
from dataclasses import dataclass

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


class Window:
    """A buffer that all ranks share, and so give up together."""

    def __init__(self, owner, length):
        self.owner = owner
        self.data = np.zeros(length)
        comm.Barrier()

    def free(self):
        if self.data is not None:
            comm.Barrier()  # HANGS 2 Window.free
            self.data = None

    def __del__(self):
        self.free()


class Field:
    """Refers to a window that refers to it: only the garbage collector can end the two."""

    def __init__(self, length):
        self.window = Window(self, length)

    def fill(self, particles):
        for particle in particles:
            self.window.data[particle.cell] += particle.weight


@dataclass
class Particle:
    cell: int
    weight: float
    tags: list


class Step:
    def __init__(self, number, cells=8):
        self.number = number
        self.cells = cells

    def particles(self):
        crowded = sys.argv[1] == "hang" and comm.rank == 2 and self.number == 2
        count = 60_000 if crowded else 40
        return [Particle(k % self.cells, 1.0 / count, [k]) for k in range(count)]

    def deposit(self):
        field = Field(self.cells)
        field.fill([Particle(k, 1.0, []) for k in range(self.cells)])
        return field.window.data.copy()

    def run(self):
        density = self.deposit()
        total = np.zeros_like(density)
        density[0] += sum(particle.weight for particle in self.particles())
        comm.Allreduce(density, total)
        gc.collect()
        return float(total.sum())


def main():
    gc.collect()
    gc.set_threshold(30_000)
    sums = [Step(n).run() for n in range(4)]
    if comm.rank == 0:
        print("sums", sums)


main()
