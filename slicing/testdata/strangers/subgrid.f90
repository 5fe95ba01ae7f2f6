! tune: rank=2 size=4 stop=MPI_Recv:1 data=5 peer=0:MPI_Bcast:1
! A grid with allocatable parts: a procedure counts the owners from 0 where they
! were allocated from -1, and closes the period one place too early.
module grids
  implicit none
  type subgrid
    integer :: lo, hi
    double precision, allocatable :: u(:)
    integer, allocatable :: steps(:)
    integer, allocatable :: owner(:)
    integer, allocatable :: level(:)
  end type subgrid
contains
  subroutine make(g, nprocs)
    type(subgrid), intent(inout) :: g
    integer, intent(in) :: nprocs
    integer :: i
    g%lo = -1 ! slice
    g%hi = nprocs ! slice
    allocate (g%u(8))
    allocate (g%steps(4))
    allocate (g%owner(g%lo:g%hi)) ! slice
    allocate (g%level(g%lo:g%hi)) ! slice
    do i = g%lo, g%hi ! slice
      g%owner(i) = i ! slice
      g%level(i) = 10 + mod(i + 2, 3) ! slice
    end do
    do i = 1, 8
      g%u(i) = 0.5d0 * i
    end do
  end subroutine make

  subroutine close_period(owner, n)
    integer, intent(inout) :: owner(0:)
    integer, intent(in) :: n
    owner(0) = n - 1 ! slice
    owner(n) = 0 ! root
  end subroutine close_period

  integer function right(g, i)
    type(subgrid), intent(in) :: g
    integer, intent(in) :: i
    right = g%owner(i + 1) ! slice
  end function right

  double precision function total(u)
    double precision, intent(in) :: u(:)
    integer :: i
    total = 0
    do i = 1, size(u)
      total = total + u(i)
    end do
  end function total
end module grids

subroutine exchange(g, rank)
  use grids
  implicit none
  include 'mpif.h'
  type(subgrid), intent(inout) :: g
  integer, intent(in) :: rank
  integer :: from, tag, ierr, status(MPI_STATUS_SIZE)
  from = right(g, rank) ! slice
  tag = g%level(from) ! slice
  if (from /= rank) then ! slice
    call MPI_Recv(g%u, 8, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, status, ierr) ! stop
  end if
end subroutine exchange

program main
  use grids
  implicit none
  include 'mpif.h'
  interface
    subroutine exchange(g, rank)
      use grids
      type(subgrid), intent(inout) :: g
      integer, intent(in) :: rank
    end subroutine exchange
  end interface
  type(subgrid) :: g
  integer :: rank, nprocs, ierr, i
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  call make(g, nprocs) ! slice
  do i = 1, 4
    g%steps(i) = i * rank
  end do
  call MPI_Bcast(g%steps, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call close_period(g%owner, nprocs) ! slice
  call exchange(g, rank) ! slice
  print *, total(g%u), g%steps(1)
  call MPI_Finalize(ierr)
end program main
