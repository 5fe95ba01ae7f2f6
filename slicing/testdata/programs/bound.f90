! tune: rank=1 size=4 stop=MPI_Recv:2 data=1
! Grids are objects with procedures of their own; the extended one counts its halo twice.
module grids
  implicit none
  type, abstract :: grid
    integer :: n = 0, halo = 1
  contains
    procedure(counts), deferred :: messages
    procedure :: setup
  end type
  abstract interface
    integer function counts(self)
      import grid
      class(grid), intent(in) :: self
    end function
  end interface
  type, extends(grid) :: plain
  contains
    procedure :: messages => plain_messages
  end type
  type, extends(grid) :: wide
    integer :: extra = 2
  contains
    procedure :: messages => wide_messages
  end type
contains
  subroutine setup(self, n, halo)
    class(grid), intent(inout) :: self
    integer, intent(in) :: n, halo
    self%n = n ! slice
    self%halo = halo ! slice
  end subroutine
  integer function plain_messages(self)
    class(plain), intent(in) :: self
    plain_messages = self%n / 4 ! slice
  end function
  integer function wide_messages(self)
    class(wide), intent(in) :: self
    wide_messages = (self%n + 2 * self%halo * self%extra) / 4 ! root
  end function
end module

module steps
  use grids
  implicit none
  include 'mpif.h'
contains
  subroutine advance(g, rank, nproc)
    class(grid), intent(in) :: g
    integer, intent(in) :: rank, nproc
    integer :: i, n, from, status(MPI_STATUS_SIZE), ierr
    double precision :: x
    n = g%messages() ! slice
    from = modulo(rank - 1, nproc) ! slice
    do i = 1, n ! slice
      x = i
      call MPI_Send(x, 1, MPI_DOUBLE_PRECISION, modulo(rank + 1, nproc), 3, MPI_COMM_WORLD, ierr)
      call MPI_Recv(x, 1, MPI_DOUBLE_PRECISION, from, 3, MPI_COMM_WORLD, status, ierr) ! stop
    end do
  end subroutine
end module

program bound
  use grids
  use steps
  implicit none
  class(grid), allocatable :: g
  integer :: rank, nproc, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr) ! slice
  if (mod(rank, 2) == 0) then ! slice
    allocate(plain :: g) ! slice
  else
    allocate(wide :: g) ! slice
  end if
  call g%setup(8, 1) ! slice
  call advance(g, rank, nproc) ! slice
  call MPI_Finalize(ierr)
end program
