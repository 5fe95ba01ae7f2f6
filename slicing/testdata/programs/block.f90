! tune: rank=3 size=4 stop=MPI_Recv:1
! A subroutine hands back a count that is too large for the last rank.
subroutine block_range(n, nprocs, rank, first, count)
  implicit none
  integer, intent(in) :: n, nprocs, rank
  integer, intent(out) :: first, count
  integer :: per
  per = n / nprocs ! slice
  first = rank * per + 1
  count = per ! slice
  if (rank == nprocs - 1) then ! slice
    count = n - per * rank + per ! root
  end if
end subroutine block_range

program block
  implicit none
  include 'mpif.h'
  integer :: rank, nprocs, ierr, n, first, count, i
  integer :: status(MPI_STATUS_SIZE)
  double precision, allocatable :: part(:)
  double precision :: check
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  n = 1001 ! slice
  check = 0
  do i = 1, n
    check = check + 1d0 / i
  end do
  call block_range(n, nprocs, rank, first, count) ! slice
  allocate(part(2 * n))
  part = 0
  if (rank > 0) then ! slice
    call MPI_Recv(part, count, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, status, ierr) ! stop
  end if
  print *, check, part(1), first
  deallocate(part)
  call MPI_Finalize(ierr)
end program block
