! tune: rank=2 size=4 stop=MPI_Recv:1
! A ring in Fortran, with the wrong left neighbour.
program ring
  implicit none
  include 'mpif.h'
  integer :: rank, nprocs, left, right, ierr, it
  integer :: status(MPI_STATUS_SIZE)
  double precision :: u(64), ghost, total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  right = mod(rank + 1, nprocs)
  left = rank - 1 ! slice
  if (left < 0) left = nprocs ! slice
  if (rank == nprocs / 2) then ! slice
    left = rank + 1 ! root
  end if
  total = 0
  u = rank
  do it = 1, 10 ! slice
    total = total + sum(u)
    call MPI_Send(u(64), 1, MPI_DOUBLE_PRECISION, right, 5, MPI_COMM_WORLD, ierr)
    call MPI_Recv(ghost, 1, MPI_DOUBLE_PRECISION, left, 5, MPI_COMM_WORLD, status, ierr) ! stop
    u(1) = ghost
  end do
  print *, total
  call MPI_Finalize(ierr)
end program ring
