"""A line of ranks, each with a neighbour above and below."""
import numpy
from mpi4py import MPI


class Line:
    def __init__(self, comm, width, kind):
        self.comm = comm
        self.width = width
        self.kind = kind
        self.pending = []
        below, above = comm.rank - 1, comm.rank + 1
        self.near = [n if 0 <= n < comm.size else MPI.PROC_NULL for n in (below, above)]

    def wait(self):
        MPI.Request.Waitall(self.pending)
        self.pending = []

    def begin(self, row, to):
        self.pending.append(self.comm.Isend([row, MPI.DOUBLE], self.near[to], 7))  # BEGINS

    def receive(self, field):
        """Receives a row from each side, and yields the side whenever one is there."""
        rows = [numpy.empty(self.width, self.kind) for _ in self.near]
        for side, row in enumerate(rows):
            self.comm.Recv(row, self.near[side], 7)  # RECEIVES
            if self.near[side] != MPI.PROC_NULL:
                field[-side] += row
            yield side
