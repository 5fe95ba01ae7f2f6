"""An iterative solver: a class, a method that exchanges, a wrong tag on one rank."""
import sys

from mpi4py import MPI

TAG = 7


class Solver:
    """Smooths a field of which each rank has a part."""

    def __init__(self, comm, wrong):
        self.comm = comm
        self.left = (comm.rank - 1) % comm.size
        self.right = (comm.rank + 1) % comm.size
        self.wrong = wrong
        self.field = [float(comm.rank)] * 8

    def exchange(self, step):
        tag = TAG + 1 if self.wrong and self.comm.rank == 2 and step == 3 else TAG
        request = self.comm.isend(self.field[-1], dest=self.right, tag=TAG)
        ghost = self.comm.recv(source=self.left, tag=tag)  # HANGS 2 Solver.exchange
        request.wait()
        return ghost

    def step(self, n):
        ghost = self.exchange(n)
        self.field = [0.5 * (a + b) for a, b in zip(self.field, [ghost] + self.field)]

    def run(self, steps):
        for n in range(steps):
            self.step(n)
        return self.comm.allreduce(sum(self.field))


def main():
    solver = Solver(MPI.COMM_WORLD, wrong=sys.argv[1] == "hang")
    total = solver.run(60)
    if solver.comm.rank == 0:
        print("total", round(total, 3))


if __name__ == "__main__":
    main()
