"""Balances work along a ring of ranks: each tells the next its loads. From 8 ranks on they tell all that
they know instead, with "branch" by another call, and with "more" by the same.

balance.py ROUNDS [branch | more]
"""
import sys

import numpy
from mpi4py import MPI

from loads import Channel

LOADS, TABLE, MANY = 2000, 6000, 8


class Balancer:
    def __init__(self, comm, fault):
        self.channel = Channel(comm)
        self.table = numpy.arange(float(TABLE)) + comm.rank
        self.whole = fault == "branch" and comm.size >= MANY
        self.told = TABLE if fault == "more" and comm.size >= MANY else LOADS

    def tell(self):
        if self.whole:
            return self.channel.push(self.table, TABLE)  # WHOLE
        return self.channel.push(self.table[: self.told], TABLE)

    def rounds(self, n):
        for _ in range(n):
            self.table[:LOADS] += self.tell()[:LOADS] / 2
            yield self.channel.least(self.table[0])


def main():
    balancer = Balancer(MPI.COMM_WORLD, sys.argv[2] if len(sys.argv) > 2 else "")
    return min(balancer.rounds(int(sys.argv[1])))


main()
