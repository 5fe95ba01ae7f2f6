"""A thread without work leaves before the barrier of its rank's threads; the others wait there."""
# WAITS thread
import sys
import threading
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


@dataclass(frozen=True)
class Chunk:
    begin: int
    end: int

    def __len__(self):
        return self.end - self.begin

    @property
    def slice(self):
        return slice(self.begin, self.end)


def chunks(total, parts):
    """Cuts a range as evenly as it goes."""
    edges = [total * k // parts for k in range(parts + 1)]
    return [Chunk(*pair) for pair in zip(edges, edges[1:])]


class Team:
    """Threads that assemble the elements of a rank, colour by colour."""

    def __init__(self, size, colours):
        self.size = size
        self.colours = colours
        self.barrier = threading.Barrier(size)

    def member(self, elements, chunk, result):
        if not len(chunk):
            result.set_result(0.0)
            return
        total = 0.0
        for colour in range(self.colours):
            total += float(elements[chunk.slice].sum()) * (colour + 1)
            self.barrier.wait()
        result.set_result(total)

    def assemble(self, elements):
        results, threads = [], []
        for chunk in chunks(len(elements), self.size):
            results.append(Future())
            arguments = (elements, chunk, results[-1])
            threads.append(threading.Thread(target=self.member, args=arguments, daemon=True))
            threads[-1].start()
        for thread in threads:
            thread.join()  # HANGS 3 Team.assemble
        return sum(result.result(timeout=0) for result in results)


class Problem:
    def __init__(self, refinements):
        self.elements = np.ones(3 if sys.argv[1] == "hang" and comm.rank == 3 else 12)
        self.refinements = refinements

    def refine(self):
        for _ in range(self.refinements):
            yield self.elements
            self.elements = np.repeat(self.elements, 2)

    def solve(self):
        team = Team(size=4, colours=3)
        loads = np.array([team.assemble(elements) for elements in self.refine()])
        return comm.reduce(loads, op=MPI.SUM, root=0)


total = Problem(refinements=3).solve()
comm.Barrier()
if comm.rank == 0:
    print("loads", total)
