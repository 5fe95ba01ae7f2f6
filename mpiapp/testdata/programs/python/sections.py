"""A context manager suppresses the error of one rank, which so skips a collective."""
import enum
import logging
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
log = logging.getLogger("sections")


class Severity(enum.Enum):
    NOTE = "note"
    FATAL = "fatal"


class InputError(ValueError):
    def __init__(self, text, severity=Severity.NOTE):
        super().__init__(text)
        self.severity = severity


class Section:
    """A part of the input, an error in which is logged and forgotten unless it is fatal."""

    depth = 0

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        Section.depth += 1
        return self

    def __exit__(self, kind, value, trace):
        Section.depth -= 1
        if kind is None:
            return False
        log.warning("rank %d, section %s: %s", comm.rank, self.name, value)
        return isinstance(value, InputError) and value.severity is Severity.NOTE


def number(text):
    try:
        return float(text)
    except ValueError as err:
        raise InputError(f"{text!r} is no number") from err


class Material:
    def __init__(self):
        self.values = {}

    def lookup(self, name, text):
        with Section(name):
            mine = np.array([number(text)])
            largest = np.empty(1)
            comm.Allreduce(mine, largest, op=MPI.MAX)
            self.values[name] = float(largest[0])

    def share(self):
        """All ranks get the names of all ranks."""
        return set().union(*comm.allgather(sorted(self.values)))  # HANGS 1 Material.share


def lines():
    wrong = sys.argv[1] == "hang" and comm.rank == 1
    yield "density", "7.8e3"
    yield "modulus", "2,1e11" if wrong else "2.1e11"


def main():
    logging.basicConfig(format="%(message)s")
    material = Material()
    with Section("material"):
        for name, text in lines():
            material.lookup(name, text)
    names = material.share()
    if comm.rank == 0:
        print("materials", sorted(names))


main()
