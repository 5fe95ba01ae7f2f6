"""A rank is killed in the last test, while the others have finished theirs."""
import os
import signal
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD


def test_first():
    comm.barrier()


def test_last():
    if comm.rank == 1:
        time.sleep(1.5)
        os.kill(os.getpid(), signal.SIGSEGV)
