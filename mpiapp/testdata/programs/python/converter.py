"""The root converts a mesh with a child process that waits for the end of its input for ever."""
# WAITS child
import contextlib
import os
import subprocess
import sys

import numpy as np
from mpi4py import MPI


class Tool:
    """A command of the system, called like a function."""

    def __init__(self, *command):
        self.command = command

    def __call__(self, source):
        options = dict(stdin=source, capture_output=True, check=True, text=True)
        done = subprocess.run(self.command, **options)  # HANGS 0 Tool.__call__
        return done.stdout


@contextlib.contextmanager
def feed(text, close=True):
    """Gives a descriptor from which a child can read the text."""
    read_end, write_end = os.pipe()
    os.write(write_end, text.encode())
    if close:
        os.close(write_end)
    try:
        yield read_end
    finally:
        os.close(read_end)
        if not close:
            os.close(write_end)


class Mesh:
    def __init__(self, points):
        self.points = points

    @classmethod
    def parse(cls, text):
        return cls(np.array([line.split() for line in text.splitlines()], dtype="d"))

    @classmethod
    def convert(cls, name, tool):
        text = "".join(f"{i} {i * i} {len(name)}\n" for i in range(12))
        forgets = sys.argv[1] == "hang" and name == "wing"
        with feed(text, close=not forgets) as source:
            return cls.parse(tool(source))


class Reader:
    def __init__(self, comm):
        self.comm = comm
        self.tool = Tool("cat", "-")

    def read(self, name):
        points = np.zeros((12, 3))
        if self.comm.rank == 0:
            try:
                points[:] = Mesh.convert(name, self.tool).points
            except subprocess.CalledProcessError as err:
                print(name, err, file=sys.stderr)
                self.comm.Abort(1)
        self.comm.Bcast(points, root=0)
        return Mesh(points)


def main(comm=MPI.COMM_WORLD):
    reader = Reader(comm)
    meshes = {name: reader.read(name) for name in ("body", "tail", "wing", "flap")}
    extent = max(float(mesh.points.max()) for mesh in meshes.values())
    assert comm.allreduce(extent, op=MPI.MAX) == extent


main()
