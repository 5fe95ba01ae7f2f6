! tune: rank=1 size=4 stop=MPI_Recv:2 data=1
! A chain of processes by extended types and pointers: the chain is put in order of the
! stages, but the link of the last one that is moved still leads to its old successor.
module processes
  implicit none
  include 'mpif.h'
  type, abstract :: process
    integer :: stage = 0
    class(process), pointer :: next => null()
  contains
    procedure(action), deferred :: run
  end type process
  abstract interface
    subroutine action(self, x)
      import :: process
      class(process), intent(inout) :: self
      double precision, intent(inout) :: x(:)
    end subroutine action
  end interface
  type, extends(process) :: decay
    double precision :: rate = 0.1d0
  contains
    procedure :: run => run_decay
  end type decay
  type, extends(process) :: transport
    integer :: from = -1, tag = 0
    integer :: moved = 0
  contains
    procedure :: run => run_transport
  end type transport
contains
  subroutine run_decay(self, x)
    class(decay), intent(inout) :: self
    double precision, intent(inout) :: x(:)
    x = x * (1 - self%rate)
  end subroutine run_decay

  subroutine run_transport(self, x)
    class(transport), intent(inout) :: self
    double precision, intent(inout) :: x(:)
    integer :: n, ierr, status(MPI_STATUS_SIZE)
    n = size(x) ! slice
    if (self%from < 0) return ! slice
    call MPI_Recv(x, n, MPI_DOUBLE_PRECISION, self%from, self%tag, MPI_COMM_WORLD, status, ierr) ! stop
    self%moved = self%moved + n
  end subroutine run_transport
end module processes

module chains
  use processes
  implicit none
  type chain
    class(process), pointer :: head => null()
    integer :: length = 0
  contains
    procedure :: put
    procedure :: advance
    procedure :: order
  end type chain
contains
  function new_transport(stage, from) result(p)
    integer, intent(in) :: stage, from
    class(process), pointer :: p
    type(transport), pointer :: t
    allocate (t) ! slice
    t%stage = stage ! slice
    t%from = from ! slice
    t%tag = 30 + stage ! slice
    p => t ! slice
  end function new_transport

  function new_decay(stage, rate) result(p)
    integer, intent(in) :: stage
    double precision, intent(in), optional :: rate
    class(process), pointer :: p
    type(decay), pointer :: d
    allocate (d) ! slice
    d%stage = stage ! slice
    if (present(rate)) d%rate = rate
    p => d ! slice
  end function new_decay

  subroutine put(self, p)
    class(chain), intent(inout) :: self
    class(process), pointer, intent(in) :: p
    p%next => self%head ! slice
    self%head => p ! slice
    self%length = self%length + 1
  end subroutine put

  ! The processes of the later stages go behind those of the first.
  subroutine order(self, stage)
    class(chain), intent(inout) :: self
    integer, intent(in) :: stage
    class(process), pointer :: p, early, late, first, middle
    early => null() ! slice
    late => null() ! slice
    first => null() ! slice
    middle => null() ! slice
    p => self%head ! slice
    do while (associated(p)) ! slice
      if (p%stage < stage) then ! slice
        if (associated(early)) early%next => p ! slice
        if (.not. associated(early)) first => p ! slice
        early => p ! slice
      else
        if (associated(late)) late%next => p ! slice
        if (.not. associated(late)) middle => p ! slice
        late => p ! slice
      end if
      p => p%next ! slice
    end do
    if (associated(early)) early%next => middle ! slice
    if (associated(late) .and. stage > 2) late%next => null() ! root
    if (associated(first)) self%head => first ! slice
  end subroutine order

  subroutine advance(self, x, most)
    class(chain), intent(inout) :: self
    double precision, intent(inout) :: x(:)
    integer, intent(in) :: most
    class(process), pointer :: p
    integer :: n
    n = 0 ! slice
    p => self%head ! slice
    do while (associated(p)) ! slice
      if (n == most) exit ! slice
      call p%run(x) ! slice
      n = n + 1 ! slice
      p => p%next ! slice
    end do
  end subroutine advance
end module chains

program main
  use chains
  implicit none
  type(chain) :: c
  integer :: rank, nprocs, ierr
  double precision :: x(6)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  x = rank
  call c%put(new_transport(1, rank - 1)) ! slice
  call c%put(new_decay(2)) ! slice
  call c%put(new_decay(1, 0.2d0)) ! slice
  call c%order(2) ! slice
  call c%advance(x, 4 + nprocs) ! slice
  print *, x, c%length
  call MPI_Finalize(ierr)
end program main
