! tune: rank=2 size=6 stop=MPI_Recv:2 data=1
! Ranks are bisected by a recursive subroutine into a tree of nodes; the second half
! begins with the last rank of the first, which then is a leaf twice.
module trees
  implicit none
  integer, parameter :: max_nodes = 64
  type node
    integer :: first = 0, last = 0
    integer :: parent = 0
    integer :: child(2) = 0
    integer :: master = -1
    double precision :: box(2, 3) = 0d0
  end type node
  type tree
    type(node) :: nodes(max_nodes)
    integer :: used = 0
    integer, allocatable :: leaf(:)
  contains
    procedure :: grow
    procedure :: links
  end type tree
contains
  subroutine grow(self, nprocs)
    class(tree), intent(inout) :: self
    integer, intent(in) :: nprocs
    allocate (self%leaf(0:nprocs - 1)) ! slice
    self%leaf = 0 ! slice
    self%used = 0 ! slice
    call bisect(self, 0, nprocs - 1, 0, 1) ! slice
  end subroutine grow

  recursive subroutine bisect(t, first, last, parent, axis)
    class(tree), intent(inout) :: t
    integer, intent(in) :: first, last, parent, axis
    integer :: me, middle, side
    if (t%used == max_nodes) return ! slice
    t%used = t%used + 1 ! slice
    me = t%used ! slice
    t%nodes(me)%first = first
    t%nodes(me)%last = last
    t%nodes(me)%parent = parent ! slice
    t%nodes(me)%master = first ! slice
    t%nodes(me)%box(2, axis) = 1d0 / (last - first + 1)
    if (parent > 0) then ! slice
      side = merge(1, 2, t%nodes(parent)%child(1) == 0) ! slice
      t%nodes(parent)%child(side) = me ! slice
    end if
    if (first == last) then ! slice
      t%leaf(first) = me ! slice
      return
    end if
    middle = (first + last) / 2 ! slice
    call bisect(t, first, middle, me, mod(axis, 3) + 1) ! slice
    if (last - first > 2) middle = middle - 1 ! root
    call bisect(t, middle + 1, last, me, mod(axis, 3) + 1) ! slice
  end subroutine bisect

  subroutine links(self, rank, peers, n)
    class(tree), intent(in) :: self
    integer, intent(in) :: rank
    integer, intent(out) :: peers(:), n
    integer :: at, up, s, c
    n = 0 ! slice
    at = self%leaf(rank) ! slice
    do while (at > 0) ! slice
      up = self%nodes(at)%parent ! slice
      if (up == 0) exit ! slice
      if (self%nodes(up)%master /= rank) exit ! slice
      do s = 1, 2 ! slice
        c = self%nodes(up)%child(s) ! slice
        if (c == at .or. c == 0) cycle ! slice
        if (self%nodes(c)%master == rank) cycle ! slice
        if (n == size(peers)) exit ! slice
        n = n + 1 ! slice
        peers(n) = self%nodes(c)%master ! slice
      end do
      at = up ! slice
    end do
  end subroutine links
end module trees

module reductions
  use trees
  implicit none
  include 'mpif.h'
contains
  subroutine collect(t, rank, x)
    type(tree), intent(in) :: t
    integer, intent(in) :: rank
    double precision, intent(inout) :: x(:)
    double precision :: part(size(x))
    integer :: peers(8), n, i, ierr, status(MPI_STATUS_SIZE)
    call t%links(rank, peers, n) ! slice
    do i = 1, n ! slice
      call MPI_Recv(part, size(x), MPI_DOUBLE_PRECISION, peers(i), 700 + i, MPI_COMM_WORLD, status, ierr) ! stop
      x = x + part
    end do
  end subroutine collect
end module reductions

program main
  use reductions
  implicit none
  type(tree), save :: t
  double precision :: x(4)
  integer :: rank, nprocs, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  call t%grow(nprocs) ! slice
  x = rank
  call collect(t, rank, x) ! slice
  print *, x, t%nodes(1)%box(2, 1)
  call MPI_Finalize(ierr)
end program main
