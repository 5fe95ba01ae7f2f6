"""A context manager whose __exit__ returns true swallows the error of one rank, which then leaves out a reduction."""
# UNDECIDED
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


class Tolerant:
    """Notes arithmetic errors and goes on."""

    def __init__(self):
        self.errors = []

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None or not issubclass(kind, ArithmeticError):
            return False
        self.errors.append(str(value))
        return True


def normalise(field, step):
    total = field.sum()
    if total == 0:
        raise ZeroDivisionError(f"step {step}: the field is empty")
    return field / total


def advance(field, step, notes):
    with notes:
        local = normalise(field, step)
        field = local * comm.allreduce(local.max(), MPI.MAX)
    return field + 1e-3


def main():
    notes = Tolerant()
    field = np.full(64, 1.0 + comm.rank)
    for step in range(20):
        if sys.argv[1] == "hang" and step == 7 and comm.rank == 2:
            field[:] = 0
        field = advance(field, step, notes)
        if step % 5 == 4:
            comm.barrier()  # HANGS 2 main
    print(comm.rank, len(notes.errors))


main()
