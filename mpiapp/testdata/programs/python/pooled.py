"""An exception in a thread of a pool comes out of a future, and its handler is collective."""
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


def tile(index):
    if sys.argv[1] == "hang" and comm.rank == 0 and index == 5:
        raise OSError("tile is missing")  # RAISES OSError
    return np.full(4, float(index))


class Mosaic:
    def __init__(self, pool):
        self.pool = pool

    def assemble(self, first):
        parts = [self.pool.submit(tile, first + i) for i in range(4)]
        try:
            return sum(p.result() for p in parts)
        except OSError:
            self.give_up()

    def give_up(self):
        failed = np.zeros(1, dtype=int)
        comm.Allreduce(np.ones(1, dtype=int), failed)  # HANGS 0 Mosaic.give_up


def main():
    with ThreadPoolExecutor(2) as pool:
        mosaic = Mosaic(pool)
        for round in range(3):
            mosaic.assemble(4 * round)
            comm.Barrier()


main()
