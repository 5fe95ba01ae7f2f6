"""A rank waits for a file that never comes, in a helper of a helper."""
# WAITS sleep
import os
import sys
import tempfile
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD


def exists(path):
    return os.path.exists(path)


def wait_for(path, interval=0.5):
    while not exists(path):
        time.sleep(interval)  # HANGS 3 wait_for


class Checkpoint:
    def __init__(self, directory):
        self.directory = directory

    def path(self, step):
        return os.path.join(self.directory, f"step-{step}-of-{comm.rank}")

    def restore(self, step):
        missing = sys.argv[1] == "hang" and comm.rank == 3 and step == 2
        if not missing:
            open(self.path(step), "w").close()
        wait_for(self.path(step))


with tempfile.TemporaryDirectory() as directory:
    checkpoint = Checkpoint(directory)
    for step in range(4):
        checkpoint.restore(step)
        comm.Barrier()
