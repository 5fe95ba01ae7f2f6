"""A reduction by recursion, deep in the stack, in which one rank expects a child too many."""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def descend(depth, leaf):
    """As a parser or a mesh hierarchy would: many frames of one function."""
    if depth == 0:
        return leaf()
    return descend(depth - 1, leaf)


def reduce_tree(value):
    rank, size = comm.rank, comm.size
    children = [c for c in (2 * rank + 1, 2 * rank + 2) if c < size]
    if sys.argv[1] == "hang" and rank == 1:
        children.append(2)
    for child in children:
        value += comm.recv(source=child, tag=1)  # HANGS 1 reduce_tree
    if rank:
        comm.send(value, dest=(rank - 1) // 2, tag=1)
    return value


total = descend(90, lambda: reduce_tree(1))
print("total", comm.bcast(total, root=0))
