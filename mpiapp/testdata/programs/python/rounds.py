"""One rank goes round a loop of collectives once more than the others."""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def rounds():
    return 4 + (1 if sys.argv[1] == "hang" and comm.rank == 1 else 0)


def converge():
    norm = 1.0
    n = 0
    while n < rounds():  # DECIDES
        comm.Bcast(bytearray(8), root=2)  # HANGS 1 converge
        comm.Barrier()
        norm *= 0.5
        n += 1
    return norm


def report(norm):
    comm.Allgather(bytearray(4), bytearray(4 * comm.size))
    return norm


report(converge())
