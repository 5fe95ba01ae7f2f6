"""What the recorder adds to a program in Python, in CPU time: to be run in turn with and without it (docs/results/python.md).

One rank plays ping-pong with itself, so that nothing is spent on waiting; of two ranks each polls on a
processor of its own until the other one answers, and CPU time is the time that a round takes. Prints the least of a round, ns.
"""
import time

import numpy as np
from mpi4py import MPI

ROUNDS, TIMES = 5000, 15
comm = MPI.COMM_WORLD
peer = comm.size - 1 - comm.rank  # of two the other one, alone itself
small, large, out = np.zeros(1), np.zeros(8192), np.zeros(8192)


def pingpong(data):
    for _ in range(ROUNDS):
        request = comm.Irecv(out, source=peer)
        comm.Send(data, dest=peer)
        request.Wait()


def objects():
    for n in range(ROUNDS):
        comm.sendrecv(n, dest=peer, source=peer)


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
    took = least(loop, *args)
    if comm.rank == 0:
        print(f"{name}: {took:.0f}")
