"""Ranks append to shards of a data set. Who splits a full shard keeps its lock until all have seen the new one."""
import contextlib
import fcntl
import os
import sys

from mpi4py import MPI


class Shard:
    def __init__(self, path):
        self.path = path

    @contextlib.contextmanager
    def locked(self):
        with open(self.path, "a") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            yield file

    def append(self, record):
        with self.locked() as file:
            file.write(record + "\n")


class DataSet:
    def __init__(self, comm):
        self.comm = comm
        self.root = sys.argv[2]
        self.shard = Shard(os.path.join(self.root, "shard0"))

    def split(self, number, holding):
        name = os.path.join(self.root, f"shard{number}")
        if self.comm.rank == 1 and holding:
            with self.shard.locked() as file:
                file.write("full\n")
                self.shard = Shard(self.comm.bcast(name, root=1))
                self.comm.barrier()
            return
        name = self.comm.bcast(name, root=1)
        self.shard.append("last")
        self.comm.barrier()
        self.shard = Shard(name)


def main():
    comm = MPI.COMM_WORLD
    data = DataSet(comm)
    for step in range(5):
        data.shard.append(f"rank {comm.rank}, step {step}")
        comm.barrier()
        data.split(step + 1, step == 3 and sys.argv[1] == "hang")


main()
