"""A comprehension makes a reduction for each species, and one rank knows a species more."""
import sys
from collections import defaultdict
from types import MappingProxyType

from mpi4py import MPI

WEIGHTS = MappingProxyType({"H2": 2.0, "N2": 28.0, "O2": 32.0, "OH": 17.0})


class Cell:
    __slots__ = ("fractions",)

    def __init__(self, **fractions):
        self.fractions = fractions


class Mixture:
    """What a rank has of each species, summed over its cells."""

    def __init__(self, cells):
        self.amounts = defaultdict(float)
        for cell in cells:
            for name, fraction in cell.fractions.items():
                self.amounts[name] += fraction

    def __iter__(self):
        return iter(sorted(self.amounts))

    def mass(self, name):
        return self.amounts[name] * WEIGHTS[name]


class Ledger:
    def __init__(self, comm):
        self.comm = comm

    def masses(self, mixture):
        total = self.comm.allreduce
        return {
            name: total(mixture.mass(name))  # HANGS 3 Ledger.masses.<locals>.<dictcomp>
            for name in mixture
        }


class Chemistry:
    def __init__(self, comm):
        self.comm = comm
        self.cells = [Cell(H2=0.1, N2=0.7, O2=0.2) for _ in range(5)]

    def react(self, step):
        """A hot cell makes a radical, which its rank alone then has."""
        hot = sys.argv[1] == "hang" and self.comm.rank == 3 and step == 2
        if hot:
            self.cells[1] = Cell(H2=0.05, N2=0.7, O2=0.15, OH=0.1)

    def advance(self, steps):
        ledger = Ledger(self.comm)
        for step in range(steps):
            self.react(step)
            yield ledger.masses(Mixture(self.cells))
            self.comm.Barrier()


def main():
    comm = MPI.COMM_WORLD
    *_, last = Chemistry(comm).advance(5)
    if comm.rank == 0:
        print({name: round(mass, 3) for name, mass in last.items()})


main()
