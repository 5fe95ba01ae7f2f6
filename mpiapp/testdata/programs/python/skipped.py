"""A rank with nothing to write returns before a collective that all the others make."""
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


class Writer:
    """Writes what each rank has found in a step."""

    def __init__(self, comm):
        self.comm = comm
        self.written = 0

    def flush(self, found):
        if not len(found):  # DECIDES
            return
        total = np.zeros(1)
        self.comm.Allreduce(np.array([float(len(found))]), total)
        self.written += int(total[0])


def find(step):
    if sys.argv[1] == "hang" and comm.rank == 3 and step == 2:
        return []
    return list(range(step + 1))


def main():
    writer = Writer(comm)
    for step in range(4):
        writer.flush(find(step))
        comm.Barrier()  # HANGS 3 main
    if comm.rank == 0:
        print("written", writer.written)


main()
