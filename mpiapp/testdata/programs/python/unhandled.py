"""An exception ends the program of one rank, and the others wait for it in a collective."""
import json
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def settings(text):
    return json.loads(text)  # ENDS 1 JSONDecodeError


def stage(n):
    text = '{"n": ' if sys.argv[1] == "hang" and comm.rank == 1 and n == 2 else '{"n": 1}'
    return settings(text)["n"]


def main():
    for n in range(4):
        total = comm.allreduce(stage(n))
        comm.bcast(total)


main()
