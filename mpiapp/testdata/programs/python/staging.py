"""A coroutine leaves by an error path with the lock of a buffer; the next one awaits it."""
# WAITS event loop
import asyncio
import sys
from collections import deque

from mpi4py import MPI

comm = MPI.COMM_WORLD


class Overflow(Exception):
    pass


class Buffer:
    """A buffer for one writer at a time."""

    def __init__(self, limit):
        self.limit = limit
        self.lock = asyncio.Lock()
        self.items = deque()

    async def put(self, item):
        await self.lock.acquire()
        if len(self.items) >= self.limit:
            raise Overflow(f"no room for {item}")
        await asyncio.sleep(0)
        self.items.append(item)
        self.lock.release()

    async def drain(self):
        async with self.lock:
            taken = list(self.items)
            self.items.clear()
        return taken


async def produce(buffer, name, count):
    lost = 0
    for n in range(count):
        try:
            await buffer.put((name, n))
        except Overflow as err:
            print(f"rank {comm.rank}: {err}", file=sys.stderr)
            lost += 1
    return lost


async def stage(buffer):
    lost = await asyncio.gather(*(produce(buffer, name, 3) for name in ("rho", "u", "p")))
    return sum(lost), await buffer.drain()


class Stager:
    """Gives the rest of the program, which knows no coroutines, what they have staged."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()

    def call(self, coroutine):
        return self.loop.run_until_complete(coroutine)  # HANGS 3 Stager.call

    def close(self):
        self.loop.close()


def main():
    stager = Stager()
    small = sys.argv[1] == "hang" and comm.rank == 3
    try:
        for step in range(3):
            lost, taken = stager.call(stage(Buffer(limit=8 if small and step == 1 else 9)))
            counts = comm.gather(len(taken) - lost, root=0)
            comm.Barrier()
    finally:
        stager.close()
    if comm.rank == 0:
        print("staged", counts)


main()
