! tune: rank=1 size=6 stop=MPI_Recv:2
! Boundaries of a lattice as types with a procedure of their own: the one that
! turns a little while it wraps turns the same way at both ends.
module boundaries
  implicit none

  type, abstract :: boundary
  contains
    procedure(wrapping), deferred :: wrap
  end type boundary

  abstract interface
    ! wrap brings a place beyond an end of a dimension back, or says that it is nowhere.
    subroutine wrapping(this, at, extent, dim, inside)
      import :: boundary
      class(boundary), intent(in) :: this
      integer, intent(inout) :: at(2)
      integer, intent(in) :: extent(2), dim
      logical, intent(out) :: inside
    end subroutine wrapping
  end interface

  type, extends(boundary) :: open_end
    integer :: margin
  contains
    procedure :: wrap => wrap_open
  end type open_end

  type, extends(boundary) :: helix
    integer :: turn
  contains
    procedure :: wrap => wrap_helix
  end type helix

  type :: axis
    class(boundary), pointer :: ends
  end type axis

contains

  subroutine wrap_open(this, at, extent, dim, inside)
    class(open_end), intent(in) :: this
    integer, intent(inout) :: at(2)
    integer, intent(in) :: extent(2), dim
    logical, intent(out) :: inside
    inside = at(dim) >= this%margin .and. at(dim) < extent(dim) - this%margin ! slice
  end subroutine wrap_open

  subroutine wrap_helix(this, at, extent, dim, inside)
    class(helix), intent(in) :: this
    integer, intent(inout) :: at(2)
    integer, intent(in) :: extent(2), dim
    logical, intent(out) :: inside
    integer :: other
    other = 3 - dim ! slice
    if (at(dim) >= extent(dim)) then ! slice
      at(dim) = at(dim) - extent(dim) ! slice
      at(other) = modulo(at(other) + this%turn, extent(other)) ! slice
    else if (at(dim) < 0) then ! slice
      at(dim) = at(dim) + extent(dim) ! slice
      at(other) = modulo(at(other) + this%turn, extent(other)) ! root
    end if
    inside = .true. ! slice
  end subroutine wrap_helix

end module boundaries

module lattice
  use boundaries
  implicit none
  include 'mpif.h'

  type :: patch
    integer :: extent(2), at(2), rank
    type(axis) :: axes(2)
    double precision, allocatable :: spin(:), ghost(:, :)
  end type patch

contains

  subroutine lay_out(p, rank, nprocs, rows, turn)
    type(patch), intent(inout) :: p
    integer, intent(in) :: rank, nprocs, rows, turn
    integer :: i
    p%rank = rank
    p%extent = [rows, nprocs / rows] ! slice
    p%at(1) = rank / p%extent(2) ! slice
    p%at(2) = mod(rank, p%extent(2)) ! slice
    allocate (p%axes(1)%ends, source=helix(turn)) ! slice
    allocate (p%axes(2)%ends, source=open_end(0)) ! slice
    allocate (p%spin(10), p%ghost(10, 2)) ! slice
    p%spin = [(rank + 0.1d0 * i, i=1, 10)]
    p%ghost = 0d0
  end subroutine lay_out

  integer function beside(p, dim, step)
    type(patch), intent(in) :: p
    integer, intent(in) :: dim, step
    integer :: at(2)
    logical :: inside
    at = p%at ! slice
    at(dim) = at(dim) + step ! slice
    call p%axes(dim)%ends%wrap(at, p%extent, dim, inside) ! slice
    beside = -1 ! slice
    if (inside) beside = at(1) * p%extent(2) + at(2) ! slice
  end function beside

  subroutine shift(p, dim, step)
    type(patch), intent(inout) :: p
    integer, intent(in) :: dim, step
    integer :: to, from, tag, ierr, status(MPI_STATUS_SIZE)
    to = beside(p, dim, step)
    from = beside(p, dim, -step) ! slice
    tag = 10 * dim + step ! slice
    if (to >= 0) call MPI_Send(p%spin, 10, MPI_DOUBLE_PRECISION, to, tag, MPI_COMM_WORLD, ierr)
    if (from < 0) return ! slice
    call MPI_Recv(p%ghost(1, dim), 10, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, status, ierr) ! stop
  end subroutine shift

end module lattice

program helical
  use lattice
  implicit none
  type(patch) :: p
  integer :: rank, nprocs, dim, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  call lay_out(p, rank, nprocs, 2, 1) ! slice
  do dim = 2, 1, -1 ! slice
    call shift(p, dim, 1) ! slice
  end do
  print *, rank, sum(p%ghost), p%extent
  call MPI_Finalize(ierr)
end program helical
