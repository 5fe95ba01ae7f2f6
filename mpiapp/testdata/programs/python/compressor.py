"""A rank joins its compressing child process without having told it that there is no more."""
# WAITS child
import multiprocessing
import sys
import zlib

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
forking = multiprocessing.get_context("fork")


def compress(inner, outer, done):
    """The child: compresses what it is sent, until it is sent nothing or its parent has died."""
    outer.close()
    size = 0
    try:
        while (block := inner.recv()) is not None:
            size += len(zlib.compress(block.tobytes()))
    except EOFError:
        return
    done.value = size


class Compressor:
    def __init__(self):
        self.size = forking.Value("l", 0)
        inner, self.outer = forking.Pipe()
        arguments = inner, self.outer, self.size
        self.process = forking.Process(target=compress, args=arguments, daemon=True)
        self.process.start()
        inner.close()
        self.failed = False

    def write(self, block):
        if not np.isfinite(block).all():
            self.failed = True
            raise FloatingPointError("a block that is not finite")  # RAISES FloatingPointError
        self.outer.send(block)

    def close(self):
        if not self.failed:
            self.outer.send(None)
        self.process.join()  # HANGS 1 Compressor.close
        self.outer.close()
        return self.size.value

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()
        return False


def blocks(steps):
    for step in range(steps):
        block = np.full(256, float(step))
        if sys.argv[1] == "hang" and comm.rank == 1 and step == 2:
            block[17] = np.inf
        yield block


def dump(steps):
    try:
        with Compressor() as compressor:
            for block in blocks(steps):
                compressor.write(block)
    except FloatingPointError as err:
        print(f"rank {comm.rank}: {err}", file=sys.stderr)
    return compressor.size.value


sizes = comm.allgather(dump(4))
if comm.rank == 0:
    print("sizes", sizes)
