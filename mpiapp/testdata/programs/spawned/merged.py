"""A master spawns two workers and merges with them; it deals out work by the rank
in the merged communicator: the master is rank 0 there, the workers are 1 and 2.

With "hang" the two sides have it the wrong way round: the workers ask for the low
ranks and the master for the high ones. Truth: the first spawned process is rank 0
of the merged communicator and waits at "work" for a message from itself, which
nobody sends; the second (rank 1 there) waits at "work" for the first; the master,
rank 2 there, has sent work to 1 and to itself and waits at "results" for rank 1.
"""
import sys

from mpi4py import MPI

WORKERS = 2


def work(comm):
    piece = comm.recv(source=0, tag=1)  # LAGGARD: work
    comm.send(sum(piece), dest=0, tag=2)


def deal(comm):
    for worker in range(1, WORKERS + 1):
        comm.send(list(range(10 * worker)), dest=worker, tag=1)
    return sum(comm.recv(source=worker, tag=2) for worker in range(1, WORKERS + 1))  # LAGGARD: results


def main():
    mode = sys.argv[1] if len(sys.argv) > 1 else "ok"
    wrong = mode == "hang"
    parent = MPI.Comm.Get_parent()
    if parent == MPI.COMM_NULL:
        other = MPI.COMM_SELF.Spawn(sys.executable, args=[__file__, mode], maxprocs=WORKERS)  # LAGGARD: spawn
        comm = other.Merge(high=wrong)  # LAGGARD: cause
        print("total", deal(comm))
    else:
        other = parent
        comm = other.Merge(high=not wrong)
        work(comm)
    comm.Barrier()
    comm.Free()
    other.Disconnect()


main()
