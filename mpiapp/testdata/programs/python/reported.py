"""A hook for exceptions gathers a report from all ranks, which only one of them comes to."""
import sys
import traceback

from mpi4py import MPI

comm = MPI.COMM_WORLD


class Reporter:
    def __init__(self, comm):
        self.comm = comm

    def __call__(self, kind, value, trace):
        lines = traceback.format_exception(kind, value, trace)
        self.comm.gather(lines, root=1)  # HANGS 1 Reporter.__call__

    def install(self):
        sys.excepthook = self


def load(index):
    tables = {0: "a", 1: "b", 2: "c", 3: "d"}
    return tables[index]  # RAISES KeyError


def main():
    Reporter(comm).install()
    for n in range(3):
        load(7 if sys.argv[1] == "hang" and comm.rank == 1 and n == 2 else comm.rank)
        comm.Barrier()


main()
