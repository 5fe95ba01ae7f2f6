! tune: rank=3 size=4 stop=MPI_Recv:1 data=2 peer=0:MPI_Bcast:1
! Wave numbers in common blocks: the last band was made wider, and the rank that
! holds a mode is looked up with the width of the first.
subroutine bands(nprocs)
  implicit none
  integer :: nprocs, i, n
  integer :: nk, first(0:7), power(16), last(0:7), width(0:7)
  common /modes/ nk, first, power, last, width
  n = nk / nprocs ! slice
  do i = 0, nprocs - 1 ! slice
    first(i) = i * n ! slice
    last(i) = first(i) + n - 1
    width(i) = n ! slice
  end do
  last(nprocs - 1) = nk - 1
  width(nprocs - 1) = nk - first(nprocs - 1) ! slice
end subroutine bands

integer function holder(k)
  implicit none
  integer :: k, n
  integer :: nk, first(0:7), power(16), last(0:7), width(0:7)
  common /modes/ nk, first, power, last, width
  n = width(0) ! slice
  holder = mod(k / n, nk / n) ! root
end function holder

subroutine powers(rank)
  implicit none
  include 'mpif.h'
  integer :: rank, i, ierr
  integer :: nk, first(0:7), power(16), last(0:7), width(0:7)
  common /modes/ nk, first, power, last, width
  do i = 1, 16
    power(i) = i * (rank + 1)
  end do
  call MPI_Bcast(power, 16, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
end subroutine powers

subroutine conjugate(rank, shift, a)
  implicit none
  include 'mpif.h'
  integer :: rank, shift, k, n, ierr, status(MPI_STATUS_SIZE)
  double precision :: a(*)
  integer :: nk, first(0:7), power(16), last(0:7), width(0:7)
  common /modes/ nk, first, power, last, width
  integer, external :: holder
  k = first(rank) + shift ! slice
  n = holder(k) ! slice
  if (n /= rank) then ! slice
    call MPI_Recv(a, 4, MPI_DOUBLE_PRECISION, n, k, MPI_COMM_WORLD, status, ierr) ! stop
  else
    a(1) = power(1)
  end if
end subroutine conjugate

subroutine transform(a, n)
  implicit none
  integer :: n, i
  double precision :: a(n), tmp
  do i = 1, n / 2
    tmp = a(i)
    a(i) = a(i) + a(n + 1 - i)
    a(n + 1 - i) = tmp - a(n + 1 - i)
  end do
end subroutine transform

program spectral
  implicit none
  include 'mpif.h'
  integer :: rank, nprocs, ierr, i
  double precision :: a(8), norm
  integer :: nk, first(0:7), power(16), last(0:7), width(0:7)
  common /modes/ nk, first, power, last, width
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  nk = 4 * nprocs + 3 ! slice
  call bands(nprocs) ! slice
  call powers(rank)
  norm = 0
  do i = 1, 8
    a(i) = rank + 1.0d0 / i
  end do
  call transform(a, 8)
  call conjugate(rank, 5, a) ! slice
  do i = 1, 8
    norm = norm + a(i)**2
  end do
  print *, norm
  call MPI_Finalize(ierr)
end program spectral
