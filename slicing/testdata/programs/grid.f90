! tune: rank=1 size=4 stop=MPI_Recv:1
! Derived types with arrays and allocatable members, assumed-shape arguments.
module grids
  implicit none
  type :: patch
    integer :: id
    integer :: sizes(3)
    integer :: peers(4)
    integer :: tags(4)
    double precision, allocatable :: cells(:)
    integer, allocatable :: order(:)
  end type patch
contains
  subroutine create(p, rank, nprocs)
    type(patch), intent(inout) :: p
    integer, intent(in) :: rank, nprocs
    integer :: i
    p%id = rank
    do i = 1, 3
      p%sizes(i) = 8 * i
    end do
    allocate(p%cells(16), p%order(4)) ! slice
    p%cells = 1.0d0
    do i = 1, 4 ! slice
      p%order(i) = 5 - i ! slice
      p%peers(i) = mod(rank + i, nprocs) ! root
      p%tags(i) = 40 + i ! slice
    end do
  end subroutine create

  subroutine pick(list, order, n, out)
    integer, intent(in) :: list(:), order(:), n
    integer, intent(out) :: out
    out = list(order(n)) ! slice
  end subroutine pick

  subroutine smooth(x)
    double precision, intent(inout) :: x(:)
    integer :: i
    do i = 2, size(x) - 1
      x(i) = 0.5d0 * (x(i-1) + x(i+1))
    end do
  end subroutine smooth

  subroutine fetch(p)
    include 'mpif.h'
    type(patch), intent(inout) :: p
    integer :: from, tag, ierr, status(MPI_STATUS_SIZE)
    call pick(p%peers, p%order, 2, from) ! slice
    call pick(p%tags, p%order, 2, tag) ! slice
    call MPI_Recv(p%cells, 16, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, status, ierr) ! stop
  end subroutine fetch
end module grids

program grid
  use grids
  implicit none
  include 'mpif.h'
  integer :: rank, nprocs, ierr
  type(patch) :: mine
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  call create(mine, rank, nprocs) ! slice
  call smooth(mine%cells)
  call fetch(mine) ! slice
  print *, mine%cells(1), mine%sizes(1)
  call MPI_Finalize(ierr)
end program grid
