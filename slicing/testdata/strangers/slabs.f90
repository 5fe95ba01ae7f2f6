! tune: rank=0 size=4 stop=MPI_Recv:5 data=1 peer=1:MPI_Send:1
! Slabs with halos below their lower bound: the argument on the command line says
! how many, and the field is turned over before the halo is known.
module slabs
  implicit none
  integer :: halo = 1
  integer, allocatable :: plane(:), origin(:)
contains
  subroutine options()
    character(len=64) :: arg
    character(len=8) :: word
    integer :: n, ios
    call get_command_argument(1, arg) ! slice
    if (len_trim(arg) == 0) arg = 'halo 2' ! slice
    read (arg, *, iostat=ios) word, n ! slice
    if (ios == 0 .and. word == 'halo') halo = n ! slice
  end subroutine options

  subroutine layout(n, rank, nprocs)
    integer, intent(in) :: n, rank, nprocs
    integer :: i
    allocate (plane(1 - halo:n + halo))
    allocate (origin(1 - halo:n + halo)) ! slice
    plane = 0
    do i = 1 - halo, n + halo ! slice
      if (i < 1) then ! slice
        origin(i) = modulo(rank - 1, nprocs) ! slice
      else if (i > n) then ! slice
        origin(i) = modulo(rank + 1, nprocs) ! slice
      else
        origin(i) = rank ! slice
      end if
    end do
  end subroutine layout

  subroutine turn(a)
    integer, intent(inout) :: a(:)
    integer :: i, n, tmp
    n = size(a) ! slice
    do i = 1, n / 2 ! slice
      tmp = a(i) ! slice
      a(i) = a(n + 1 - i) ! root
      a(n + 1 - i) = tmp ! slice
    end do
  end subroutine turn
end module slabs

program main
  use slabs
  implicit none
  include 'mpif.h'
  integer :: rank, nprocs, ierr, i, n, step, count, status(MPI_STATUS_SIZE)
  integer :: seen(4)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  n = 6 ! slice
  call options() ! slice
  call layout(n, rank, nprocs) ! slice
  seen = 0
  count = 0
  do step = 1, halo + 2 ! slice
    if (rank == 0) then
      call MPI_Recv(seen, 4, MPI_INTEGER, 1, step, MPI_COMM_WORLD, status, ierr)
      count = count + seen(1)
    else if (rank == 1) then
      call MPI_Send(seen, 4, MPI_INTEGER, 0, step, MPI_COMM_WORLD, ierr)
    end if
  end do
  if (nprocs > 2) call turn(origin) ! slice
  do i = lbound(origin, 1), 0 ! slice
    call MPI_Recv(plane(i:), 1, MPI_INTEGER, origin(i), 10 + i, MPI_COMM_WORLD, status, ierr) ! stop
  end do
  do i = 1, n
    plane(i) = plane(i) + plane(i - 1)
  end do
  print *, sum(plane), count
  call MPI_Finalize(ierr)
end program main
