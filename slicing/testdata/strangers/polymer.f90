! tune: rank=1 size=4 stop=MPI_Recv:1 data=2 peer=0:MPI_Bcast:1
! Chains of beads, allocatable within allocatable: a chain that is cut takes the
! homes of its beads along, but counted from the beginning.
module polymers
  implicit none
  type chain
    integer :: id, n
    double precision, allocatable :: force(:)
    integer, allocatable :: kind(:)
    integer, allocatable :: home(:)
  end type chain
  type melt
    integer :: n
    type(chain), allocatable :: chains(:)
  end type melt
contains
  subroutine grow(m, n, length, nprocs)
    type(melt), intent(inout) :: m
    integer, intent(in) :: n, length, nprocs
    integer :: i, j
    m%n = n ! slice
    allocate (m%chains(0:n)) ! slice
    do i = 0, n - 1 ! slice
      m%chains(i)%id = 100 + i ! slice
      m%chains(i)%n = length ! slice
      allocate (m%chains(i)%force(length))
      allocate (m%chains(i)%kind(length))
      allocate (m%chains(i)%home(length)) ! slice
      do j = 1, length ! slice
        m%chains(i)%home(j) = mod(i + j / 2, nprocs) ! slice
        m%chains(i)%kind(j) = j
        m%chains(i)%force(j) = 0
      end do
    end do
  end subroutine grow

  subroutine cut(m, i, at)
    type(melt), intent(inout), target :: m
    integer, intent(in) :: i, at
    integer :: j, n
    n = m%chains(i)%n - at ! slice
    m%chains(m%n)%id = m%chains(i)%id + 50 ! slice
    m%chains(m%n)%n = n ! slice
    allocate (m%chains(m%n)%force(n), m%chains(m%n)%kind(n))
    allocate (m%chains(m%n)%home(n)) ! slice
    do j = 1, n ! slice
      m%chains(m%n)%home(j) = m%chains(i)%home(j) ! root
    end do
    m%chains(m%n)%force = 0
    m%chains(i)%n = at ! slice
  end subroutine cut

  integer function last_home(home)
    integer, intent(in) :: home(:)
    last_home = home(size(home)) ! slice
  end function last_home
end module polymers

subroutine join(c, rank)
  use polymers
  implicit none
  include 'mpif.h'
  type(chain), intent(inout) :: c
  integer, intent(in) :: rank
  integer :: from, ierr, status(MPI_STATUS_SIZE)
  from = last_home(c%home) ! slice
  if (c%n > 1 .and. from /= rank) then ! slice
    call MPI_Recv(c%force, c%n, MPI_DOUBLE_PRECISION, from, c%id, MPI_COMM_WORLD, status, ierr) ! stop
  end if
end subroutine join

program polymer
  use polymers
  implicit none
  include 'mpif.h'
  interface
    subroutine join(c, rank)
      use polymers
      type(chain), intent(inout) :: c
      integer, intent(in) :: rank
    end subroutine join
  end interface
  type(melt) :: m
  integer :: rank, nprocs, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  call grow(m, 3, 8, nprocs) ! slice
  call MPI_Bcast(m%chains(1)%kind, 8, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call cut(m, 1, 5) ! slice
  call join(m%chains(3), rank) ! slice
  print *, m%chains(3)%force(1), m%chains(1)%kind(2)
  call MPI_Finalize(ierr)
end program polymer
