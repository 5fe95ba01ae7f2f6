! tune: rank=0 size=4 stop=MPI_Sendrecv:4
! A multigrid in one dimension on a ring of ranks; all have to agree on the depth, which the smallest share sets.
! The smallest share is looked for among the ranks, but it is always the own one that is asked for.
module shares
  implicit none
  private
  public :: share, share_of, smallest_share

  type share
    integer :: first
    integer :: n
  end type share

contains

  pure function share_of(rank, nprocs, total) result(s)
    integer, intent(in) :: rank, nprocs, total
    type(share) :: s
    integer :: base, rest
    base = total / nprocs ! slice
    rest = mod(total, nprocs) ! slice
    s%n = base ! slice
    if (rank < rest) s%n = base + 1 ! slice
    s%first = rank * base + min(rank, rest)
  end function share_of

  integer function smallest_share(me, nprocs, total) result(least)
    integer, intent(in) :: me, nprocs, total
    type(share) :: s
    integer :: r
    least = total ! slice
    do r = 0, nprocs - 1 ! slice
      s = share_of(me, nprocs, total) ! root
      least = min(least, s%n) ! slice
    end do
  end function smallest_share

end module shares

module ring
  use mpi
  implicit none
  private
  public :: ring_comm, ring_open, ring_shift

  type ring_comm
    integer :: handle
    integer :: me, nprocs
    integer :: left, right
  end type ring_comm

contains

  subroutine ring_open(r, parent)
    type(ring_comm), intent(out) :: r
    integer, intent(in) :: parent
    integer :: ierr
    call MPI_Comm_dup(parent, r%handle, ierr) ! slice
    call MPI_Comm_rank(r%handle, r%me, ierr) ! slice
    call MPI_Comm_size(r%handle, r%nprocs, ierr) ! slice
    r%left = modulo(r%me - 1, r%nprocs) ! slice
    r%right = modulo(r%me + 1, r%nprocs) ! slice
  end subroutine ring_open

  subroutine ring_shift(r, outgoing, incoming, lane)
    type(ring_comm), intent(in) :: r
    double precision, intent(in) :: outgoing
    double precision, intent(inout) :: incoming
    integer, intent(in) :: lane
    integer :: ierr, status(MPI_STATUS_SIZE)
    double precision :: letter(1), answer(1)
    letter(1) = outgoing
    call MPI_Sendrecv(letter, 1, MPI_DOUBLE_PRECISION, r%right, lane, & ! stop
      answer, 1, MPI_DOUBLE_PRECISION, r%left, lane, r%handle, status, ierr)
    incoming = answer(1)
  end subroutine ring_shift

end module ring

module multigrid
  use shares, only: share, share_of, smallest_share
  use ring, only: ring_comm, ring_shift
  implicit none
  private
  public :: solver, new_solver

  type level
    integer :: npoint, number
    double precision :: width
    double precision, allocatable :: u(:), f(:)
    type(level), pointer :: coarse
  end type level

  type solver
    type(ring_comm), pointer :: net
    type(level), pointer :: finest
    integer :: minimum
  contains
    procedure :: cycle => solver_cycle
    procedure :: norm => solver_norm
  end type solver

contains

  subroutine new_solver(s, net, total, minimum)
    type(solver), intent(out) :: s
    type(ring_comm), intent(in), target :: net
    integer, intent(in) :: total, minimum
    type(share) :: mine
    integer :: least, depth, i
    s%net => net ! slice
    s%minimum = minimum ! slice
    mine = share_of(net%me, net%nprocs, total)
    least = smallest_share(net%me, net%nprocs, total) ! slice
    depth = 1 ! slice
    do while (least > s%minimum) ! slice
      least = (least + 1) / 2 ! slice
      depth = depth + 1 ! slice
    end do
    call grow(s%finest, mine%n, 1, depth) ! slice
    do i = 1, mine%n
      s%finest%f(i) = dble(mine%first + i)
    end do
  end subroutine new_solver

  recursive subroutine grow(place, npoint, number, depth)
    type(level), pointer, intent(out) :: place
    integer, intent(in) :: npoint, number, depth
    allocate (place) ! slice
    nullify (place%coarse) ! slice
    place%npoint = npoint
    place%number = number ! slice
    place%width = 2d0**(number - 1)
    allocate (place%u(0:npoint + 1), place%f(npoint))
    place%u = 0d0
    place%f = 0d0
    if (number < depth) call grow(place%coarse, (npoint + 1) / 2, number + 1, depth) ! slice
  end subroutine grow

  subroutine smooth(net, l)
    type(ring_comm), intent(in) :: net
    type(level), intent(inout) :: l
    integer :: i
    call ring_shift(net, l%u(l%npoint), l%u(0), 100 + l%number) ! slice
    do i = 1, l%npoint
      l%u(i) = 0.5d0 * (l%u(i - 1) + l%width * l%f(i))
    end do
  end subroutine smooth

  subroutine restrict(fine, coarse)
    type(level), intent(in) :: fine
    type(level), intent(inout) :: coarse
    integer :: i, k
    do i = 1, coarse%npoint
      k = min(2 * i, fine%npoint)
      coarse%f(i) = 0.5d0 * (fine%f(2 * i - 1) + fine%f(k)) - 0.1d0 * fine%u(k)
    end do
  end subroutine restrict

  recursive subroutine descend(net, l)
    type(ring_comm), intent(in) :: net
    type(level), intent(inout) :: l
    integer :: i
    call smooth(net, l) ! slice
    if (.not. associated(l%coarse)) return ! slice
    call restrict(l, l%coarse)
    call descend(net, l%coarse) ! slice
    do i = 1, l%npoint
      l%u(i) = l%u(i) + 0.25d0 * l%coarse%u((i + 1) / 2)
    end do
    call smooth(net, l)
  end subroutine descend

  subroutine solver_cycle(this)
    class(solver), intent(inout) :: this
    call descend(this%net, this%finest) ! slice
  end subroutine solver_cycle

  double precision function solver_norm(this)
    class(solver), intent(in) :: this
    solver_norm = maxval(abs(this%finest%u(1:this%finest%npoint)))
  end function solver_norm

end module multigrid

program mgcycle
  use mpi
  use ring, only: ring_comm, ring_open
  use multigrid, only: solver, new_solver
  implicit none
  type(ring_comm), target :: net
  type(solver) :: s
  integer :: it, ierr
  call MPI_Init(ierr)
  call ring_open(net, MPI_COMM_WORLD) ! slice
  call new_solver(s, net, 34, 2) ! slice
  do it = 1, 3 ! slice
    call s%cycle() ! slice
  end do
  print '(a,i2,f10.4)', 'norm on', net%me, s%norm()
  call MPI_Finalize(ierr)
end program mgcycle
