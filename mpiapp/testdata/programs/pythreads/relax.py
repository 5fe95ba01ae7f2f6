# says: another thread of it is in settle (relax.py:@loop)
# says: rank 0
# A thread relaxes a value until it is one that it never takes; the main thread of rank 0 waits for the event that the thread is done.
import sys
import threading

from mpi4py import MPI

comm = MPI.COMM_WORLD
hang = len(sys.argv) > 1 and sys.argv[1] == "hang"


def settle(value, wanted):
    while value != wanted: value = value * 3 % 7  # loop
    return value


class Relaxation:
    def __init__(self):
        self.done, self.value = threading.Event(), 0

    def run(self, wanted):
        self.value = settle(1, wanted)
        self.done.set()


def main():
    work = Relaxation()
    wanted = 7 if hang and comm.rank == 0 else 5
    threading.Thread(target=work.run, args=(wanted,), daemon=True).start()
    work.done.wait()
    total = comm.allreduce(work.value)
    if comm.rank == 0:
        print("total", total)


main()
