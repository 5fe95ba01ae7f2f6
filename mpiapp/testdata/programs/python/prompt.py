"""A rank asks at the terminal whether it may overwrite its results, and nobody answers."""
# WAITS read
import os
import sys
from dataclasses import dataclass, field

from mpi4py import MPI

comm = MPI.COMM_WORLD


class Refused(Exception):
    """The user does not want the file to be overwritten."""


@dataclass
class Output:
    """A file of results, of which this program only keeps the blocks."""

    name: str
    exists: bool = False
    blocks: list = field(default_factory=list)

    def append(self, block):
        self.blocks.append(block)


class Console:
    yes = frozenset({"y", "yes"})
    no = frozenset({"n", "no", ""})

    def ask(self, question):
        answer = input(f"{question} [y/N] ").strip().lower()  # HANGS 3 Console.ask
        if answer not in self.yes | self.no:
            raise ValueError(f"answer with y or n, not {answer!r}")
        return answer in self.yes

    def insist(self, question, attempts=3):
        for _ in range(attempts):
            try:
                return self.ask(question)
            except ValueError as err:
                print(err, file=sys.stderr)
        return False


def attach_terminal(typed):
    """Stands for a terminal at which somebody has typed this."""
    read_end, write_end = os.pipe()
    os.write(write_end, typed.encode())
    os.dup2(read_end, 0)
    os.close(read_end)


class Writer:
    def __init__(self, console):
        self.console = console
        self.outputs = {}

    def open(self, step):
        output = Output(f"out.{step}.{comm.rank}", exists=comm.rank == 3 and step == 2)
        if output.exists and not self.console.insist(f"{output.name} exists. Overwrite it?"):
            raise Refused(output.name)
        return self.outputs.setdefault(output.name, output)

    def write(self, step, value):
        try:
            self.open(step).append(value)
        except Refused as err:
            print("skipped", err, file=sys.stderr)
        return comm.allreduce(len(self.outputs))


def main():
    attach_terminal("" if sys.argv[1] == "hang" else "perhaps\ny\n")
    writer = Writer(Console())
    counts = [writer.write(step, step * 0.5) for step in range(4)]
    if comm.rank == 0:
        print("files", counts)


if __name__ == "__main__":
    main()
