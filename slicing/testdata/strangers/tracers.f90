! tune: rank=2 size=4 stop=MPI_Recv:2 data=1 peer=0:MPI_Bcast:1
! Tracers with type-bound procedures: a scheme that is chosen by its name has a
! halo of two, but the table of the widths is read with the number of the tracer.
module schemes
  implicit none
  integer, parameter :: upwind = 1, lax = 2, weno = 3
  type scheme
    integer :: kind = upwind
    integer :: width = 1
    double precision :: limit = 0d0
  contains
    procedure :: choose
    procedure :: messages
  end type scheme
contains
  subroutine choose(self, name, widths, number)
    class(scheme), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer, intent(in) :: widths(:), number
    select case (trim(name)) ! slice
    case ('upwind')
      self%kind = upwind ! slice
    case ('lax')
      self%kind = lax ! slice
      self%limit = 0.5d0
    case default
      self%kind = weno ! slice
    end select
    if (number <= size(widths)) then ! slice
      self%width = widths(number) ! root
    else
      self%width = widths(self%kind) ! slice
    end if
  end subroutine choose

  integer function messages(self)
    class(scheme), intent(in) :: self
    messages = self%width ! slice
    if (self%kind == upwind) messages = 1 ! slice
  end function messages
end module schemes

module tracers
  use schemes
  implicit none
  type tracer
    character(len=8) :: name
    type(scheme) :: adv
    double precision, allocatable :: q(:)
    double precision :: mass = 0d0
  end type tracer
  type bundle
    type(tracer), allocatable :: member(:)
    integer :: left = -1, right = -1, cells = 0
  contains
    procedure :: setup
    procedure :: sizes
    procedure :: exchange
    procedure :: total
  end type bundle
contains
  subroutine setup(self, names, cells)
    class(bundle), intent(inout) :: self
    character(len=*), intent(in) :: names(:)
    integer, intent(in) :: cells
    integer :: widths(3), i
    do i = 1, 3 ! slice
      widths(i) = i ! slice
    end do
    allocate (self%member(size(names))) ! slice
    self%cells = cells
    do i = 1, size(names) ! slice
      self%member(i)%name = names(i)
      allocate (self%member(i)%q(0:cells + 1))
      self%member(i)%q = i
      call self%member(i)%adv%choose(names(i), widths, i) ! slice
    end do
  end subroutine setup

  subroutine sizes(self, rank, nprocs)
    include 'mpif.h'
    class(bundle), intent(inout) :: self
    integer, intent(in) :: rank, nprocs
    integer :: ierr, gap
    gap = 1 ! slice
    do while (gap * gap * 4 < nprocs) ! slice
      gap = 2 * gap ! slice
    end do
    call MPI_Bcast(gap, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr) ! slice
    if (rank + gap < nprocs) self%right = rank + gap
    if (rank >= gap) self%left = rank - gap ! slice
  end subroutine sizes

  subroutine exchange(self)
    include 'mpif.h'
    class(bundle), intent(inout) :: self
    integer :: i, m, tag, ierr, status(MPI_STATUS_SIZE)
    if (self%left < 0) return ! slice
    do i = 1, size(self%member) ! slice
      do m = 1, self%member(i)%adv%messages() ! slice
        tag = 10 * i + m ! slice
        call MPI_Recv(self%member(i)%q, 1, MPI_DOUBLE_PRECISION, self%left, tag, MPI_COMM_WORLD, status, ierr) ! stop
      end do
    end do
  end subroutine exchange

  double precision function total(self)
    class(bundle), intent(in) :: self
    integer :: i
    total = 0
    do i = 1, size(self%member)
      total = total + sum(self%member(i)%q) * self%member(i)%adv%limit + self%member(i)%mass
    end do
  end function total
end module tracers

program main
  use tracers
  implicit none
  include 'mpif.h'
  type(bundle) :: b
  character(len=8) :: names(3)
  integer :: rank, nprocs, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  names(1) = 'salt' ! slice
  names(2) = 'lax' ! slice
  names(3) = 'upwind' ! slice
  call b%setup(names, 16) ! slice
  call b%sizes(rank, nprocs) ! slice
  call b%exchange() ! slice
  print *, b%total(), b%right
  call MPI_Finalize(ierr)
end program main
