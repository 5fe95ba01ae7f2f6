"""A suite in which one rank fails, after all ranks have communicated: the others pass."""
import pytest
from mpi4py import MPI

comm = MPI.COMM_WORLD


def test_total():
    assert comm.allreduce(comm.rank) == sum(range(comm.size))


def test_share():
    total = comm.allreduce(1) + 2
    if comm.rank == 2:
        total -= 1
    assert total == 6


def test_skipped_on_one():
    if comm.rank == 1:
        pytest.skip("nothing to do")
