"""A generator that is closed early makes a collective on its way out."""
import contextlib
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def pages(n):
    """Pages that all ranks turn together, and a barrier when the book is shut."""
    try:
        for k in range(n):
            comm.allgather(k)
            yield k  # RAISES GeneratorExit
    finally:
        comm.Barrier()  # HANGS 2 pages


def read(limit):
    with contextlib.closing(pages(5)) as book:
        for page in book:
            if page == limit:
                break


for turn in range(3):
    read(2 if sys.argv[1] == "hang" and comm.rank == 2 and turn == 1 else 9)
