! The module of the same, for Fortran programs that use it.
module mpi
  include 'mpif.h'
  integer, parameter :: MPI_STATUS_IGNORE(MPI_STATUS_SIZE) = 0
  integer, parameter :: MPI_STATUSES_IGNORE(MPI_STATUS_SIZE, 1) = 0
end module mpi
