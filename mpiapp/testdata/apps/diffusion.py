"""Diffusion in a plane, by rows, with mpi4py: each rank has a block of rows, exchanges the rows at its edges with its
neighbours, and writes its block to a file of its own every few steps, as a checkpoint.

    mpirun -np 2 python3 diffusion.py ROWS STEPS EVERY
"""

import os
import sys
import tempfile

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
rows, steps, every = (int(word) for word in sys.argv[1:])
up, down = (rank - 1 if rank > 0 else MPI.PROC_NULL), (rank + 1 if rank + 1 < size else MPI.PROC_NULL)

field = np.zeros((rows + 2, 1024))
field[1:-1, 256:768] = 1.0 + rank


def exchange(u):
    world.Sendrecv(u[1], dest=up, recvbuf=u[-1], source=down)
    world.Sendrecv(u[-2], dest=down, recvbuf=u[0], source=up)


def step(u):
    """One explicit step; returns the largest change."""
    change = 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
    u[1:-1, 1:-1] += change
    return float(np.abs(change).max())


def checkpoint(u, directory):
    with open(os.path.join(directory, f"block-{rank}"), "wb", buffering=0) as file:
        file.write(u[1:-1].tobytes())


with tempfile.TemporaryDirectory() as directory:
    for number in range(steps):
        exchange(field)
        change = world.allreduce(step(field), op=MPI.MAX)
        if every and number % every == 0:
            checkpoint(field, directory)
if rank == 0:
    print("largest change", change)
