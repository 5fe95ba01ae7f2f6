! What the test programs need of MPI, for one process that plays one rank.
      integer MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, MPI_INTEGER
      integer MPI_ANY_SOURCE, MPI_STATUS_SIZE
      parameter (MPI_COMM_WORLD = 91, MPI_DOUBLE_PRECISION = 8)
      parameter (MPI_INTEGER = 4, MPI_ANY_SOURCE = -1)
      parameter (MPI_STATUS_SIZE = 4)
