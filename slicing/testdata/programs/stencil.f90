! report: rank=0 size=3 stop=MPI_Recv:3
! A derived type carries a loop bound that is one too large.
module layout
  implicit none
  type :: patch
    integer :: nx, ny
    integer :: senders
    double precision :: h
  end type patch
contains
  subroutine init_patch(p, nprocs)
    type(patch), intent(out) :: p
    integer, intent(in) :: nprocs
    p%nx = 16
    p%ny = 8
    p%h = 1d0 / p%nx
    p%senders = nprocs ! root
  end subroutine init_patch

  function area(p) result(a)
    type(patch), intent(in) :: p
    double precision :: a
    a = p%nx * p%ny * p%h * p%h
  end function area
end module layout

subroutine gather(p, rank, total)
  use layout
  implicit none
  include 'mpif.h'
  type(patch), intent(in) :: p
  integer, intent(in) :: rank
  double precision, intent(inout) :: total
  integer :: i, ierr, status(MPI_STATUS_SIZE)
  double precision :: v
  v = 0
  if (rank == 0) then ! slice
    do i = 1, p%senders ! slice
      call MPI_Recv(v, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, status, ierr) ! stop
      total = total + v
    end do
  end if
end subroutine gather

program stencil
  use layout
  implicit none
  include 'mpif.h'
  type(patch) :: p
  integer :: rank, nprocs, ierr
  double precision :: total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  call init_patch(p, nprocs) ! slice
  total = area(p)
  call gather(p, rank, total) ! slice
  print *, total
  call MPI_Finalize(ierr)
end program stencil
