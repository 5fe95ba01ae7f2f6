"""A parameter sweep spawns three workers, one by one, and gives each a case until there is none, then the word to stop. With
"hang" it stops only the workers that had a case in the last round.

Truth: worker 2 had no case in the last round and waits at "case" for a message of the sweep, which told the others to stop at
"stop" and is in Disconnect at "leaves"."""
import sys

from mpi4py import MPI

CASE, STOP, DONE = 1, 2, 3
WORKERS = 3


def work(sweep):
    case = bytearray(8)
    while True:
        status = MPI.Status()
        sweep.Recv(case, 0, MPI.ANY_TAG, status)  # LAGGARD: case
        if status.tag == STOP:
            break
        sweep.Send(case, 0, DONE)


def run(workers, cases, forgetful):
    case, busy = bytearray(8), []
    for first in range(0, cases, WORKERS):
        busy = workers[: min(WORKERS, cases - first)]
        for worker in busy:
            worker.Send(case, 0, CASE)
        for worker in busy:
            worker.Recv(case, 0, DONE)
    for worker in busy if forgetful else workers:  # LAGGARD: cause
        worker.Send(case, 0, STOP)  # LAGGARD: stop


def main():
    parent = MPI.Comm.Get_parent()
    if parent != MPI.COMM_NULL:
        work(parent)
        parent.Disconnect()
        return
    workers = [MPI.COMM_SELF.Spawn(sys.executable, [__file__], 1) for _ in range(WORKERS)]
    run(workers, 8, len(sys.argv) > 1 and sys.argv[1] == "hang")
    for worker in workers:
        worker.Disconnect()  # LAGGARD: leaves


main()
