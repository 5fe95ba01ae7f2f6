# says: RuntimeError, raised in render (tiles.py:@raises), was put into a future
# says: rank 1
# Workers of a pool render tiles and put them into a queue. On rank 1 one raises an exception, which stays in a future that nobody
# asks for; the main thread waits for all tiles.
import queue
import sys
from concurrent.futures import ThreadPoolExecutor

from mpi4py import MPI

comm = MPI.COMM_WORLD
hang = len(sys.argv) > 1 and sys.argv[1] == "hang"
done = queue.Queue()


def render(tile):
    if hang and comm.rank == 1 and tile == 7:
        raise RuntimeError(f"tile {tile} is empty")  # raises
    done.put(tile * 0.25)


def main():
    light = 0.0
    with ThreadPoolExecutor(3) as pool:
        for tile in range(12):
            pool.submit(render, tile)
        for _ in range(12):
            light += done.get()
    light = comm.allreduce(light)
    if comm.rank == 0:
        print("light", light)


main()
