"""MPI called through ctypes, from generators and sorting: any MPI, any interpreter.

library.py hang: a rank receives what nobody sends.
"""
import ctypes
import os
import sys

if "OMPI_COMM_WORLD_RANK" in os.environ:
    mpi = ctypes.CDLL("libmpi.so.40", ctypes.RTLD_GLOBAL)
    handle = lambda name: ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_" + name)))
    WORLD, INT, IGNORED = handle("comm_world"), handle("int"), None
else:
    mpi = ctypes.CDLL("libmpich.so.12", ctypes.RTLD_GLOBAL)
    WORLD, INT, IGNORED = 0x44000000, 0x4C000405, ctypes.c_void_p(1)
calls = ctypes.CDLL(None)


class Comm:
    def __init__(self):
        calls.MPI_Init(None, None)
        number = ctypes.c_int()
        calls.MPI_Comm_rank(WORLD, ctypes.byref(number))
        self.rank = number.value

    def barrier(self):
        calls.MPI_Barrier(WORLD)

    def receive(self, source, tag):
        number = ctypes.c_int()
        calls.MPI_Recv(ctypes.byref(number), 1, INT, source, tag, WORLD, IGNORED)  # HANGS 1 Comm.receive
        return number.value


class Flow:
    def __init__(self, comm):
        self.comm = comm

    def stage(self, n):
        if sys.argv[1] == "hang" and self.comm.rank == 1 and n == 3:
            return self.comm.receive(0, 99)
        return n

    def stages(self):
        yield from (self.stage(k) for k in range(5))


def main():
    comm = Comm()
    for _ in sorted(Flow(comm).stages(), key=lambda n: -n):
        comm.barrier()
    calls.MPI_Finalize()


main()
