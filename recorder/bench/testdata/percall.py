"""What the recorder adds to an MPI call of a program in Python, by the depth of its stack.

Run it with and without the recorder (docs/results/python.md): one Allreduce of mpi4py on MPI_COMM_SELF, which makes
four MPI calls. Prints nanoseconds of each Allreduce, the least of many rounds.
"""
import time

import numpy as np
from mpi4py import MPI

CALLS, ROUNDS = 20000, 40
comm = MPI.COMM_SELF
sent, received = np.zeros(1), np.zeros(1)


def calls(n):
    for _ in range(n):
        comm.Allreduce(sent, received)


def deep(frames, n):
    return calls(n) if frames == 0 else deep(frames - 1, n)


def least(frames):
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        deep(frames, CALLS)
        times.append(time.perf_counter() - begin)
    return min(times) / CALLS * 1e9


for frames in 0, 8, 16, 30:
    print(f"{frames + 4} frames: {least(frames):.0f} ns")
