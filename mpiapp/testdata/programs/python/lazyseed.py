"""The first use of a random generator shares its seed; a rank whose data are all masked makes no use of it, and sums up its errors."""
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


class Noise:
    def __init__(self):
        self._seed = None

    @property
    def seed(self):
        if self._seed is None:
            drawn = 17 if comm.rank == 0 else None
            self._seed = comm.bcast(drawn, root=0)
        return self._seed

    @property
    def rng(self):
        if not hasattr(self, "_rng"):
            self._rng = np.random.default_rng(self.seed + comm.rank)
        return self._rng

    def add(self, data, mask):
        for line in range(len(data)):
            if mask[line]:  # DECIDES
                continue
            data[line] += self.rng.standard_normal(data.shape[1])
        return data


def check(data):
    bad = int(np.isnan(data).sum())
    if comm.allreduce(bad) > 0:  # HANGS 0 check
        raise ValueError("not a number")


def main():
    noise, masked = Noise(), sys.argv[1] == "hang" and comm.rank == 0
    for day in range(12):
        data = np.full((4, 64), float(day))
        check(data)
        if day > 5:
            data = noise.add(data, [masked] * 4)
    print(comm.rank, data.sum())


main()
