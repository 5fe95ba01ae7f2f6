"""An exception on one rank is swallowed by a decorator, so that rank skips a collective."""
import functools
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def forgiving(function):
    """Reports a failure and goes on."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except ValueError as err:
            print(f"rank {comm.rank}: {err}", file=sys.stderr)
            return None

    return wrapper


def parse(text):
    if text == "broken":
        raise ValueError("not a number: " + text)
    return float(text)


@forgiving
def update(step):
    text = "broken" if sys.argv[1] == "hang" and comm.rank == 3 and step == 2 else str(step)
    value = parse(text)
    return comm.allreduce(value)


def finish():
    comm.barrier()  # HANGS 3 finish


for step in range(4):
    update(step)
finish()
