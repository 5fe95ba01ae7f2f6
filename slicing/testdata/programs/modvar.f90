! report: rank=1 size=4 stop=MPI_Bcast:1
! A module variable, set in one subroutine, is the root of a broadcast in another.
module settings
  implicit none
  integer :: io_rank = 0
  integer :: verbosity = 0
  integer :: group_size = 4
contains
  subroutine configure(rank, nprocs)
    integer, intent(in) :: rank, nprocs
    group_size = nprocs / 2 ! slice
    verbosity = 1
    io_rank = (rank / group_size) * group_size + mod(rank, 2) ! root
  end subroutine configure
end module settings

subroutine share(values, n)
  use settings
  implicit none
  include 'mpif.h'
  integer, intent(in) :: n
  double precision, intent(inout) :: values(n)
  integer :: ierr
  if (verbosity > 1) print *, 'share', n
  call MPI_Bcast(values, n, MPI_DOUBLE_PRECISION, io_rank, MPI_COMM_WORLD, ierr) ! stop
end subroutine share

program modvar
  use settings
  implicit none
  include 'mpif.h'
  integer :: rank, nprocs, ierr, i
  double precision :: values(32)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  call configure(rank, nprocs) ! slice
  do i = 1, 32
    values(i) = i * 0.5d0
  end do
  call share(values, 32) ! slice
  print *, values(1)
  call MPI_Finalize(ierr)
end program modvar
