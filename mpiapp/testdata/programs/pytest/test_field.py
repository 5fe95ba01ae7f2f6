"""A suite of a small code on a divided field; some of its tests do not end."""

import os
import time

import numpy as np
import pytest
from mpi4py import MPI

comm = MPI.COMM_WORLD


class Field:
    """Cells of a line, divided among the ranks, with one more at each end."""

    def __init__(self, cells):
        self.inner = np.full(cells, float(comm.rank))
        self.left, self.right = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size

    def exchange(self):
        received = comm.sendrecv(self.inner[-1], dest=self.right, source=self.left)
        return received

    def total(self):
        return comm.allreduce(self.inner.sum())

    def save(self):
        """All ranks learn what there is to write; one that has only zeros has nothing to say."""
        sizes = []
        if self.inner.any():
            sizes = comm.allgather(self.inner.nbytes)  # HANGS test_save: rank 0 does not come
        comm.barrier()
        return sum(sizes)


@pytest.fixture(scope="module")
def field():
    made = Field(10)
    yield made
    comm.barrier()


def test_exchange(field):
    assert field.exchange() == field.left


def test_total(field):
    assert field.total() == 10 * sum(range(comm.size))


def test_save(field):
    assert field.save() > 0


@pytest.mark.parametrize("tag", [1, 2, 3])
def test_ring(field, tag):
    comm.send(tag, dest=field.right, tag=tag)
    if comm.rank == 1 and tag == 2:
        tag = 7
    assert comm.recv(source=field.left, tag=tag)  # HANGS test_ring[2]: nobody sends 7
    comm.barrier()


def test_wrong(field):
    assert comm.rank != 2, "only rank 2 finds this"


def test_leaves(field):
    if comm.rank == 2:
        raise ValueError("no cells")  # HANGS test_leaves: rank 2 does not send
    elif comm.rank == 3:
        comm.recv(source=2, tag=9)


@pytest.mark.timeout(4)
def test_polls(field):
    """Ranks that ask again and again make progress, as far as anybody can see."""
    if comm.rank > 0:
        request = comm.irecv(source=0, tag=99)
        while not request.test()[0]:  # HANGS test_polls: nobody sends 99
            pass
    comm.barrier()


@pytest.mark.skipif(comm.size > 1, reason="for one rank")
def test_alone():
    assert False


def test_dies(field):
    comm.barrier()
    if comm.rank == 3:
        os.abort()
    comm.barrier()


def test_sum_of_all(field):
    time.sleep(0.1)
    assert comm.allreduce(1) == comm.size
