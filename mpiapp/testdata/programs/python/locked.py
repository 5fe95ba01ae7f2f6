"""A rank waits for a lock that a worker thread of its own never gives back."""
# WAITS lock
import sys
import threading

from mpi4py import MPI

comm = MPI.COMM_WORLD


class Cache:
    def __init__(self):
        self.lock = threading.Lock()
        self.full = threading.Event()
        self.values = {}

    def fill(self):
        self.lock.acquire()
        self.values[0] = comm.rank
        self.full.set()
        if not (sys.argv[1] == "hang" and comm.rank == 2):
            self.lock.release()

    def get(self, key):
        with self.lock:  # HANGS 2 Cache.get
            return self.values[key]


cache = Cache()
worker = threading.Thread(target=cache.fill, daemon=True)
worker.start()
cache.full.wait()
print("sum", comm.allreduce(cache.get(0)))
