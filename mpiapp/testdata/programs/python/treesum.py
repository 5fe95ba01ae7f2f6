"""Tasks of a thread pool wait for tasks of the same pool, which is too small on one rank."""
# WAITS pool
from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from mpi4py import MPI


@dataclass
class Cell:
    """A cell of a tree of bodies: either bodies, or two smaller cells."""

    masses: np.ndarray
    children: list[Cell] = field(default_factory=list)

    @classmethod
    def build(cls, masses, leaf=2):
        cell = cls(masses)
        if len(masses) > leaf:
            half = len(masses) // 2
            cell.children = [cls.build(part, leaf) for part in (masses[:half], masses[half:])]
        return cell


class Walker:
    """Sums over a tree, with a task for each cell that has children."""

    def __init__(self, workers):
        self.pool = ThreadPoolExecutor(workers, thread_name_prefix="walker")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.pool.shutdown()

    def mass(self, cell):
        if not cell.children:
            return float(cell.masses.sum())
        total = 0.0
        for future in [self.pool.submit(self.mass, child) for child in cell.children]:
            total += future.result()  # HANGS 2 Walker.mass
        return total


def workers_of(comm):
    """As if some of the cores of a node were taken."""
    return 1 if sys.argv[1] == "hang" and comm.rank == 2 else 16


class Simulation:
    def __init__(self, comm, bodies=16):
        self.comm = comm
        self.masses = np.linspace(1.0, 2.0, bodies) * (comm.rank + 1)

    def total_mass(self, walker):
        return self.comm.allreduce(walker.mass(Cell.build(self.masses)), op=MPI.SUM)

    def run(self, steps):
        with Walker(workers_of(self.comm)) as walker:
            return [self.total_mass(walker) for _ in range(steps)]


masses = Simulation(MPI.COMM_WORLD).run(3)
assert max(masses) - min(masses) < 1e-9, masses
