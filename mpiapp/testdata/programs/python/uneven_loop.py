"""A class with a context manager and a property, in which one rank goes round a loop once more."""
import contextlib
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


class Phase(contextlib.ContextDecorator):
    """Times a phase of the program, as applications do."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.begin = MPI.Wtime()
        return self

    def __exit__(self, *exc):
        self.seconds = MPI.Wtime() - self.begin
        return False


def blocks():
    extra = 1 if sys.argv[1] == "hang" and comm.rank == 2 else 0
    return range(3 + extra)


@Phase("assemble")
def assemble():
    total = 0
    for block in blocks():
        with Phase("reduce"):
            total += comm.allreduce(block, op=MPI.MAX)  # HANGS 2 assemble
    return total


def write(total):
    with Phase("write"):
        return comm.gather(total, root=0)


total = assemble()
comm.Barrier()
write(total)
