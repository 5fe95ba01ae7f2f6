"""Ranks go through their groups in the order of a key that differs from rank to rank."""
# UNDECIDED
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


class Group:
    def __init__(self, name, comm, cost):
        self.name = name
        self.comm = comm
        self.cost = cost

    def balance(self):
        self.cost = self.comm.allreduce(self.cost) / self.comm.size  # HANGS 2 Group.balance


def schedule(groups):
    return sorted(groups, key=lambda group: (group.cost, group.name))


def main():
    groups = [Group(name, comm.Dup(), 1.0 + i) for i, name in enumerate(("air", "sea", "ice"))]
    for step in range(6):
        if sys.argv[1] == "hang" and step == 3 and comm.rank == 2:
            groups[0].cost = 9.5
        for group in schedule(groups):
            group.balance()


main()
