"""Coroutines: one rank awaits what nobody will send."""
import asyncio
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


async def receive(source, tag):
    while not comm.iprobe(source=source, tag=tag):
        await asyncio.sleep(0)
    return comm.recv(source=source, tag=tag)


async def stage(n):
    if comm.rank == 0:
        comm.send(n, dest=1, tag=n)
    elif comm.rank == 1:
        late = sys.argv[1] == "hang" and n == 3
        if late:
            comm.recv(source=0, tag=99)  # HANGS 1 stage
        await receive(0, n)


async def pipeline():
    for n in range(5):
        await stage(n)


asyncio.run(pipeline())
comm.barrier()
