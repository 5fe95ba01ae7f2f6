! tune: rank=5 size=6 stop=MPI_Recv:3 data=1
! A block with assumed-shape arrays: the table of neighbours is passed as a section, and
! the extent of its rows is taken for that of its columns in the test of an edge.
module blocks
  implicit none
  integer, parameter :: west = 1, east = 2, south = 3, north = 4
  type edge
    integer :: peer = -1
    integer :: cells = 0
    double precision, allocatable :: ghost(:)
  end type edge
  type block
    integer :: ix = 0, iy = 0
    type(edge) :: edges(4)
    double precision, allocatable :: u(:, :)
    logical :: ready = .false.
  end type block
contains
  ! The ranks in the grid of processes, with a rim of empty places.
  subroutine number_ranks(grid)
    integer, intent(inout) :: grid(0:, 0:)
    integer :: i, j
    grid = -1 ! slice
    do j = 1, size(grid, 2) - 2 ! slice
      do i = 1, size(grid, 1) - 2 ! slice
        grid(i, j) = (j - 1) * (size(grid, 1) - 2) + i - 1 ! slice
      end do
    end do
  end subroutine number_ranks

  ! A ring in the second dimension.
  subroutine close_ring(rows)
    integer, intent(inout) :: rows(:, :)
    integer :: n
    n = size(rows, 1) ! root
    rows(:, 1) = rows(:, n - 1) ! slice
    rows(:, size(rows, 2)) = rows(:, 2) ! slice
  end subroutine close_ring

  subroutine locate(b, grid, rank)
    type(block), intent(inout) :: b
    integer, intent(in) :: grid(0:, 0:), rank
    integer :: at(2)
    at = maxloc(merge(1, 0, grid(1:size(grid, 1) - 2, 1:size(grid, 2) - 2) == rank)) ! slice
    b%ix = at(1) ! slice
    b%iy = at(2) ! slice
  end subroutine locate

  subroutine connect(b, near, nx)
    type(block), intent(inout) :: b
    integer, intent(in) :: near(-1:, -1:), nx
    integer :: e
    b%edges(west)%peer = near(-1, 0) ! slice
    b%edges(east)%peer = near(1, 0) ! slice
    b%edges(south)%peer = near(0, -1) ! slice
    b%edges(north)%peer = near(0, 1) ! slice
    do e = 1, 4 ! slice
      b%edges(e)%cells = nx / (1 + e / 3) ! slice
      allocate (b%edges(e)%ghost(nx))
      b%edges(e)%ghost = 0
    end do
    allocate (b%u(nx, nx))
    b%u = 1
  end subroutine connect

  pure integer function opposite(e)
    integer, intent(in) :: e
    opposite = e + 1 - 2 * mod(e + 1, 2) ! slice
  end function opposite
end module blocks

subroutine halo(edges)
  use blocks
  implicit none
  include 'mpif.h'
  type(edge), intent(inout) :: edges(4)
  integer :: e, n, peer, tag, ierr, status(MPI_STATUS_SIZE)
  do e = 1, size(edges) ! slice
    if (edges(e)%peer < 0) cycle ! slice
    tag = 50 + opposite(e) ! slice
    n = edges(e)%cells ! slice
    peer = edges(e)%peer ! slice
    call MPI_Send(edges(e)%ghost, n, MPI_DOUBLE_PRECISION, peer, 50 + e, MPI_COMM_WORLD, ierr)
    call MPI_Recv(edges(e)%ghost, n, MPI_DOUBLE_PRECISION, peer, tag, MPI_COMM_WORLD, status, ierr) ! stop
  end do
end subroutine halo

program main
  use blocks
  implicit none
  include 'mpif.h'
  integer, allocatable :: grid(:, :)
  type(block) :: b
  integer :: rank, nprocs, ierr, px, py
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  py = 2 ! slice
  px = nprocs / py ! slice
  allocate (grid(0:px + 1, 0:py + 1)) ! slice
  call number_ranks(grid) ! slice
  call close_ring(grid) ! slice
  call locate(b, grid, rank) ! slice
  call connect(b, grid(b%ix - 1:b%ix + 1, b%iy - 1:b%iy + 1), 8) ! slice
  call halo(b%edges) ! slice
  b%u(:, 1) = b%edges(south)%ghost
  b%ready = .true.
  print *, sum(b%u), b%ready
  call MPI_Finalize(ierr)
end program main
