"""A log handler gathers the records of all ranks; a filter of one rank lets a record of its own not through."""
# UNDECIDED
import logging
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


class OncePerText(logging.Filter):
    """Lets each text through once."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def filter(self, record):
        text = record.getMessage()
        if text in self.seen:
            return False
        self.seen.add(text)
        return True


class Gathering(logging.Handler):
    """Writes at rank 0 what all ranks have to say."""

    def emit(self, record):
        texts = comm.gather(self.format(record), root=0)
        if comm.rank == 0:
            print(sorted(set(texts)), file=sys.stderr)
        comm.barrier()


def main():
    log = logging.getLogger("solver")
    log.setLevel(logging.INFO)
    log.propagate = False
    handler = Gathering()
    handler.addFilter(OncePerText())
    log.addHandler(handler)
    for step in range(12):
        residual = 1.0 / (1 + step)
        if sys.argv[1] == "hang" and comm.rank == 1 and step == 6:
            residual = 1.0 / step
        log.info("residual %.6f", residual)
    comm.allreduce(1)  # HANGS 1 main


main()
