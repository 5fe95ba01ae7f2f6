# says: ValueError: record 5 has no samples, raised in Loader.read (loader.py:@raises), was not caught and ended its thread
# says: rank 2
# A thread of each rank reads records and puts them into a queue. On rank 2 one raises an exception, which ends the thread; the main
# thread waits for the next record, and the others wait for rank 2 in a sum.
import queue
import sys
import threading

from mpi4py import MPI

comm = MPI.COMM_WORLD
hang = len(sys.argv) > 1 and sys.argv[1] == "hang"


class Loader:
    def __init__(self, records):
        self.records, self.ready = records, queue.Queue(2)

    def read(self, number):
        samples = 0 if hang and comm.rank == 2 and number == 5 else 4
        if samples == 0:
            raise ValueError(f"record {number} has no samples")  # raises
        return [number * 0.5] * samples

    def run(self):
        for number in range(self.records):
            self.ready.put(self.read(number))


def main():
    loader, total = Loader(10), 0.0
    thread = threading.Thread(target=loader.run, daemon=True)
    thread.start()
    for _ in range(10):
        total += comm.allreduce(sum(loader.ready.get()))
    thread.join()
    if comm.rank == 0:
        print("total", total)


main()
