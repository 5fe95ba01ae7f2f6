! Heat in a bar, in Fortran: both ghost cells are exchanged each step, and the largest change decides with the others'.
! -DCHANGE=N seeds a change; the pairs are in e2e/testdata/compare.tsv.
module bar
  use mpi
  implicit none
  integer, parameter :: cells = 50, steps = 30
  integer :: rank, nranks, left, right, ierr
  double precision :: u(0:cells + 1)
contains
  subroutine exchange_ghosts()
    integer :: status(MPI_STATUS_SIZE)
    call MPI_Sendrecv(u(cells), 1, MPI_DOUBLE_PRECISION, right, 1, u(0), 1, MPI_DOUBLE_PRECISION, left, 1, &
                      MPI_COMM_WORLD, status, ierr)
    call MPI_Sendrecv(u(1), 1, MPI_DOUBLE_PRECISION, left, 2, u(cells + 1), 1, MPI_DOUBLE_PRECISION, right, 2, &
                      MPI_COMM_WORLD, status, ierr)
  end subroutine

  subroutine find_change(change, largest)
    double precision, intent(in) :: change
    double precision, intent(out) :: largest
    call MPI_Allreduce(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  end subroutine
end module

program heat
  use bar
  implicit none
  integer :: step, last
  double precision :: change, largest
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  left = rank - 1
  if (rank == 0) left = MPI_PROC_NULL
  right = rank + 1
  if (rank == nranks - 1) right = MPI_PROC_NULL
  u = rank
  last = steps
#if CHANGE == 15
  if (rank == 0) last = steps + 5
#endif
  do step = 1, last
    call exchange_ghosts()
    change = maxval(abs(u(1:cells) - u(0:cells - 1)))
    u(1:cells) = 0.5d0 * u(1:cells) + 0.25d0 * (u(0:cells - 1) + u(2:cells + 1))
    call find_change(change, largest)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
