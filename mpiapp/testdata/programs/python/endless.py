"""A generator of work in which one rank computes without end, called in a comprehension."""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def collatz(n, never):
    steps = 0
    while n != 1 or never:  # HANGS 1 collatz
        n = 3 * n + 1 if n % 2 else n // 2  # HANGS 1 collatz
        steps += 1  # HANGS 1 collatz
    return steps


def work(items):
    for item in items:
        yield [collatz(k, sys.argv[1] == "hang" and comm.rank == 1 and item == 5) for k in range(item, item + 3)]


longest = max(max(comm.allgather(max(chunk))) for chunk in work(range(2, 9)))
if comm.rank == 0:
    print("longest", longest)
