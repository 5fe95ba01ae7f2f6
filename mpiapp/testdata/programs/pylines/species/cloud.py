"""The particles of one species in one rank."""
import numpy

CAPACITY, START = 400, 160


class Cloud:
    def __init__(self, seed):
        draw = numpy.random.default_rng(seed)
        self.of = numpy.ones((START, 3))
        self.of[:, 0] = draw.random(START)
        self.of[:, 1] = (draw.random(START) - 0.5) / 5

    def push(self):
        self.of[:, 0] += self.of[:, 1]

    def leaving(self, side):
        x = self.of[:, 0]
        return numpy.ascontiguousarray(self.of[x < 0 if side == 0 else x >= 1])

    def drop(self):
        x = self.of[:, 0]
        self.of = self.of[(x >= 0) & (x < 1)]

    def take(self, arrived, side):
        arrived[:, 0] += 1 if side else -1
        self.of = numpy.concatenate((self.of, arrived))[:CAPACITY]
