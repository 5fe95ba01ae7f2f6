! tune: rank=2 size=3 stop=MPI_Recv:1
! A generic interface for the halo of a field, with optional arguments: where the
! width is not given, the variable keeps the width of the call before.
module halos
  implicit none
  include 'mpif.h'
  private
  public :: get, put, layout, arrange
  type layout
    integer :: nx = 0, ny = 0
    integer :: low = -1, high = -1
    integer :: base = 0
  end type layout
  interface get
    module procedure get_row, get_plane
  end interface get
  interface put
    module procedure put_row, put_plane
  end interface put
  integer :: width = 1
contains
  subroutine arrange(l, rank, nprocs, nx, ny, periodic)
    type(layout), intent(out) :: l
    integer, intent(in) :: rank, nprocs, nx
    integer, intent(in), optional :: ny
    logical, intent(in), optional :: periodic
    l%nx = nx ! slice
    l%ny = nx
    if (present(ny)) l%ny = ny
    l%base = 200 ! slice
    l%low = rank - 1 ! slice
    l%high = rank + 1 ! slice
    if (l%high == nprocs) l%high = -1 ! slice
    if (present(periodic)) then ! slice
      if (periodic) then ! slice
        l%low = mod(rank + nprocs - 1, nprocs) ! slice
        l%high = mod(rank + 1, nprocs) ! slice
      end if
    end if
  end subroutine arrange

  integer function halo(given)
    integer, intent(in), optional :: given
    if (present(given)) width = max(given, 1) ! root
    halo = width ! slice
  end function halo

  subroutine get_row(l, row, wide)
    type(layout), intent(in) :: l
    double precision, intent(inout) :: row(:)
    integer, intent(in), optional :: wide
    integer :: n, ierr, status(MPI_STATUS_SIZE)
    n = min(halo(wide), size(row)) ! slice
    if (l%low < 0) return ! slice
    call MPI_Recv(row, n, MPI_DOUBLE_PRECISION, l%low, l%base + n, MPI_COMM_WORLD, status, ierr) ! stop
  end subroutine get_row

  subroutine get_plane(l, plane, wide)
    type(layout), intent(in) :: l
    double precision, intent(inout) :: plane(:, :)
    integer, intent(in), optional :: wide
    integer :: j
    do j = 1, halo(wide) ! slice
      call get_row(l, plane(:, j), l%nx) ! slice
    end do
  end subroutine get_plane

  subroutine put_row(l, row, wide)
    type(layout), intent(in) :: l
    double precision, intent(in) :: row(:)
    integer, intent(in), optional :: wide
    integer :: n, ierr
    if (l%high < 0) return ! slice
    n = min(halo(wide), size(row)) ! slice
    call MPI_Send(row, n, MPI_DOUBLE_PRECISION, l%high, l%base + n, MPI_COMM_WORLD, ierr)
  end subroutine put_row

  subroutine put_plane(l, plane, wide)
    type(layout), intent(in) :: l
    double precision, intent(in) :: plane(:, :)
    integer, intent(in), optional :: wide
    integer :: j
    do j = 1, halo(wide) ! slice
      call put_row(l, plane(:, j), l%nx) ! slice
    end do
  end subroutine put_plane
end module halos

subroutine advance(l, t, u, steps)
  use halos
  implicit none
  type(layout), intent(in) :: l
  double precision, intent(inout) :: t(:, :), u(:)
  integer, intent(in) :: steps
  integer :: s
  do s = 1, steps ! slice
    call put(l, t, wide=2) ! slice
    call put(l, u) ! slice
    call get(l, u) ! slice
    call get(l, t, wide=2) ! slice
    u = 0.5d0 * (u + t(:, 1))
  end do
end subroutine advance

program main
  use halos
  implicit none
  include 'mpif.h'
  interface
    subroutine advance(l, t, u, steps)
      use halos
      type(layout), intent(in) :: l
      double precision, intent(inout) :: t(:, :), u(:)
      integer, intent(in) :: steps
    end subroutine advance
  end interface
  type(layout) :: l
  integer :: rank, nprocs, ierr, n
  double precision, allocatable :: t(:, :), u(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  n = 8 ! slice
  allocate (t(n, 4), u(n)) ! slice
  t = rank
  u = 0.1d0 * rank
  call arrange(l, rank, nprocs, n, periodic=.false.) ! slice
  call advance(l, t, u, 3) ! slice
  print *, sum(t), sum(u), l%ny
  call MPI_Finalize(ierr)
end program main
