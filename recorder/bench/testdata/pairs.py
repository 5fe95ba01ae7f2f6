"""What the recorder adds to a program in Python, in CPU time: to be run in turn with and without it (docs/python.md).

One rank plays ping-pong with itself, so that nothing is spent on waiting: between two ranks a round
takes longer, and the share of the recorder is smaller. Prints the least CPU time of a round, ns.
"""
import time

import numpy as np
from mpi4py import MPI

ROUNDS, TIMES = 5000, 15
comm = MPI.COMM_SELF
small, large, out = np.zeros(1), np.zeros(8192), np.zeros(8192)


def pingpong(data):
    for _ in range(ROUNDS):
        request = comm.Irecv(out, source=0)
        comm.Send(data, dest=0)
        request.Wait()


def objects():
    for n in range(ROUNDS):
        comm.sendrecv(n, dest=0, source=0)


def allreduce():
    for _ in range(ROUNDS):
        comm.Allreduce(small, out[:1])


def least(loop, *args):
    times = []
    for _ in range(TIMES):
        begin = time.process_time()
        loop(*args)
        times.append(time.process_time() - begin)
    return min(times) / ROUNDS * 1e9


for name, loop, *args in (("ping-pong of 8 B", pingpong, small), ("ping-pong of 64 KB", pingpong, large),
                          ("ping-pong of objects", objects), ("allreduce of 8 B", allreduce)):
    print(f"{name}: {least(loop, *args):.0f}")
