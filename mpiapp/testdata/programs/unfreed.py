# Columns go around a ring: unfreed.py [leaks]. With "leaks" neither the sends are completed nor the datatypes freed.
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
left, right = (world.rank - 1) % world.size, (world.rank + 1) % world.size
field, halo = numpy.full((20000, 2), world.rank, "d"), numpy.zeros((20000, 2))
for k in range(6):
    column = MPI.DOUBLE.Create_vector(20000, 1, 2).Commit()  # LAGGARD: type
    receive = world.Irecv([halo, 1, column], left)
    send = world.Isend([field, 1, column], right)  # LAGGARD: sent
    receive.Wait()
    if sys.argv[1:] != ["leaks"]:
        send.Wait()
        column.Free()
