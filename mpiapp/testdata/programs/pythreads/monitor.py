# says: confidence 0.50
# says: waits for the lock of the Python interpreter (GIL) in Field.smooth (monitor.py:
# says: has that lock in MPI_Comm_dup, called by Monitor.report (monitor.py:@reduces), through Comm.allreduce
"""A monitor thread adds up what each step gives. The first collective of objects on a communicator duplicates it, and mpi4py does
not give up the interpreter's lock (GIL) while it does: no other thread of the rank can run until all ranks are there."""
import queue
import sys
import threading

import numpy as np
from mpi4py import MPI


class Monitor:
    def __init__(self, comm, early):
        self.comm = comm.Dup()
        self.items = queue.Queue()
        self.sums = []
        if early:
            self.comm.allreduce(0)  # while no thread computes
        self.thread = threading.Thread(target=self.report)
        self.thread.start()

    def report(self):
        for value in iter(self.items.get, None):
            self.sums.append(self.comm.allreduce(value))  # reduces

    def close(self):
        self.items.put(None)
        self.thread.join()


class Field:
    def __init__(self, comm, cells):
        self.comm = comm
        self.values = np.linspace(comm.rank, comm.rank + 1, cells)

    def smooth(self, rounds):
        for _ in range(rounds):
            old = self.values.tolist()
            for i in range(1, len(old) - 1):
                self.values[i] = (old[i - 1] + old[i] + old[i + 1]) / 3

    def exchange(self):
        left, right = (self.comm.rank - 1) % self.comm.size, (self.comm.rank + 1) % self.comm.size
        self.comm.Sendrecv(self.values[-2:-1], right, 1, self.values[:1], left, 1)


def main():
    comm = MPI.COMM_WORLD
    monitor = Monitor(comm, sys.argv[1] == "good")
    field = Field(comm, 400)
    for step in range(3):
        if comm.rank != 0:
            monitor.items.put(float(field.values.sum()))
        field.smooth(150)
        field.exchange()
        if comm.rank == 0:
            monitor.items.put(float(field.values.sum()))
    monitor.close()


main()
