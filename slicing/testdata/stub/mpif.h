! What the test programs need of MPI, for one process that plays one rank.
      integer MPI_COMM_WORLD, MPI_COMM_NULL, MPI_DOUBLE_PRECISION
      integer MPI_INTEGER, MPI_REAL, MPI_REAL8, MPI_LOGICAL
      integer MPI_CHARACTER, MPI_ANY_SOURCE, MPI_ANY_TAG
      integer MPI_STATUS_SIZE, MPI_PROC_NULL, MPI_UNDEFINED
      integer MPI_SUCCESS, MPI_REQUEST_NULL
      integer MPI_SUM, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR
      parameter (MPI_COMM_WORLD = 91, MPI_DOUBLE_PRECISION = 8)
      parameter (MPI_COMM_NULL = 0, MPI_REAL8 = 8, MPI_REAL = 14)
      parameter (MPI_INTEGER = 4, MPI_ANY_SOURCE = -1)
      parameter (MPI_LOGICAL = 4, MPI_CHARACTER = 1, MPI_ANY_TAG = -1)
      parameter (MPI_STATUS_SIZE = 4, MPI_PROC_NULL = -2)
      parameter (MPI_UNDEFINED = -32766, MPI_SUCCESS = 0)
      parameter (MPI_REQUEST_NULL = 0)
      parameter (MPI_SUM = 3, MPI_MAX = 1, MPI_MIN = 2)
      parameter (MPI_LAND = 5, MPI_LOR = 7)
      double precision MPI_WTIME
      external MPI_WTIME
