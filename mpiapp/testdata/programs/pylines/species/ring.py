"""The neighbours of a rank, and what is sent to them. The buffers serve all species in turn."""
import numpy
from mpi4py import MPI

from .cloud import CAPACITY

SIDES = 2


class Ring:
    def __init__(self, comm):
        self.comm = comm
        self.near = [(comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size]
        self.out = [self.buffer() for _ in range(SIDES)]
        self.incoming = [self.buffer() for _ in range(SIDES)]
        self.count = [0] * SIDES

    @staticmethod
    def buffer():
        return numpy.zeros((CAPACITY, 3))

    def pack(self, cloud, side):
        leaving = cloud.leaving(side)
        self.count[side] = len(leaving)
        for k, particle in enumerate(leaving):
            self.out[side][k] = particle  # PACKS

    def arrivals(self, requests):
        status = MPI.Status()
        for side, request in enumerate(requests):
            request.Wait(status)
            yield side, self.incoming[side][: status.Get_count(MPI.DOUBLE) // 3]

    def exchange(self, cloud, tag, forgets=False):
        requests = [
            self.comm.Irecv([self.incoming[s], MPI.DOUBLE], self.near[s], tag + 1 - s) for s in range(SIDES)
        ]
        for s in range(SIDES):
            if not forgets or s == 0:
                self.pack(cloud, s)
            self.comm.Send([self.out[s][: self.count[s]], MPI.DOUBLE], self.near[s], tag + s)  # SENDS
        cloud.drop()
        for side, arrived in self.arrivals(requests):
            cloud.take(arrived, side)
