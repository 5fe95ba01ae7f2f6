"""The thread that reads ahead dies of an exception; its rank waits for the next block for ever."""
# WAITS queue
import queue
import struct
import sys
import threading

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
HEADER = struct.Struct("<4sI")


class BlockFile:
    """Blocks of numbers, each after a header, as if read from a file."""

    def __init__(self, count, damaged=None):
        self.count = count
        self.damaged = damaged

    def __getitem__(self, k):
        if k >= self.count:
            raise IndexError(k)
        magic = b"\0\0\0\0" if k == self.damaged else b"BLK1"
        return HEADER.pack(magic, k + 1) + np.arange(k + 1, dtype="d").tobytes()


def decode(raw):
    magic, length = HEADER.unpack_from(raw)
    if magic != b"BLK1":
        raise ValueError(f"bad block header {magic!r}")  # RAISES ValueError
    return np.frombuffer(raw, dtype="d", offset=HEADER.size, count=length)


class Prefetcher:
    """Iterates over the blocks of a file, one or two of which are read ahead."""

    end = object()

    def __init__(self, file, depth=2):
        self.file = file
        self.queue = queue.Queue(maxsize=depth)
        self.thread = threading.Thread(target=self.fill, name="prefetch", daemon=True)
        self.thread.start()

    def fill(self):
        for raw in self.file:
            self.queue.put(decode(raw))
        self.queue.put(self.end)

    def __iter__(self):
        return self

    def __next__(self):
        block = self.queue.get()  # HANGS 1 Prefetcher.__next__
        if block is self.end:
            raise StopIteration
        return block


def reduced(blocks):
    """The sums over all ranks, block by block."""
    total = np.zeros(1)
    for block in blocks:
        comm.Allreduce(np.array([block.sum()]), total)
        yield float(total[0])


def main():
    damaged = 3 if sys.argv[1] == "hang" and comm.rank == 1 else None
    sums = list(reduced(Prefetcher(BlockFile(6, damaged))))
    if comm.rank == 0:
        print("sums", sums)


main()
