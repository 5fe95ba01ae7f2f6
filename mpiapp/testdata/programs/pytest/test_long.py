"""A test that takes longer than the time between two looks at the job, and passes."""
import time

from mpi4py import MPI


def test_long():
    time.sleep(2.5)
    MPI.COMM_WORLD.barrier()
