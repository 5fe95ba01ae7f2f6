"""Neighbours without cells in common are dropped when a mesh is made; one rank drops one too many."""
# UNDECIDED
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


class Mesh:
    def __init__(self, rank, size, shared):
        self.rank = rank
        self.shared = shared
        around = {(rank - 1) % size, (rank + 1) % size} - {rank}
        self.neighbours = [n for n in sorted(around) if shared.get(n, 0) > 0]


class Halo:
    def __init__(self, mesh):
        self.mesh = mesh
        self.buffers = {n: np.zeros(mesh.shared[n]) for n in mesh.neighbours}

    def exchange(self, values):
        requests = []
        for n in self.mesh.neighbours:
            requests.append(comm.Irecv(self.buffers[n], source=n, tag=3))
        for n in self.mesh.neighbours:
            comm.Send(values[: self.mesh.shared[n]], dest=n, tag=3)
        MPI.Request.Waitall(requests)  # HANGS 0 Halo.exchange


def main():
    shared = {n: 4 for n in range(comm.size)}
    if sys.argv[1] == "hang" and comm.rank == 1:
        shared[2] = 0
    halo = Halo(Mesh(comm.rank, comm.size, shared))
    values = np.arange(16.0)
    for step in range(10):
        halo.exchange(values)
    comm.barrier()


main()
