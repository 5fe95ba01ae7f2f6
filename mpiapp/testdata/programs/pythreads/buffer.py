# says: another thread of it waits for another thread in Buffer.drain (buffer.py:@waits)
# says: rank 1
# A writer thread drains a buffer. Rank 1 closes the buffer without a word to the writer, and waits for it to end.
import sys
import threading

from mpi4py import MPI

comm = MPI.COMM_WORLD
hang = len(sys.argv) > 1 and sys.argv[1] == "hang"


class Buffer:
    def __init__(self):
        self.changed, self.items, self.closed, self.written = threading.Condition(), [], False, 0

    def drain(self):
        while True:
            with self.changed:
                while not self.items and not self.closed:
                    self.changed.wait()  # waits
                if not self.items:
                    return
                self.written += len(self.items)
                self.items.clear()

    def add(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify()

    def close(self, tell):
        with self.changed:
            self.closed = True
            if tell:
                self.changed.notify()


def main():
    buffer = Buffer()
    writer = threading.Thread(target=buffer.drain, daemon=True)
    writer.start()
    for item in range(20):
        buffer.add(item)
    while buffer.written < 20:
        pass
    buffer.close(not (hang and comm.rank == 1))
    writer.join()
    total = comm.allreduce(buffer.written)
    if comm.rank == 0:
        print("written", total)


main()
