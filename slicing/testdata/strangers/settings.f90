! tune: rank=1 size=6 stop=MPI_Recv:1
! Settings are read from text into the variables of a module; the argument on the
! command line replaces the stride, but after the groups were made from it.
module settings
  implicit none
  integer :: blocks = 1, stride = 1, depth = 1
  double precision :: eps = 1d-6
  character(len=16), parameter :: deck(4) = [character(len=16) :: 'eps 1e-4', 'blocks 3', 'stride 2', 'depth 4']
contains
  subroutine parse(line)
    character(len=*), intent(in) :: line
    integer :: i, n, ios
    i = index(line, ' ') ! slice
    if (line(1:i - 1) == 'eps') then ! slice
      read (line(i:), *, iostat=ios) eps
      return
    end if
    read (line(i:), *, iostat=ios) n ! slice
    if (ios /= 0) n = 1 ! slice
    select case (line(1:i - 1)) ! slice
    case ('blocks')
      blocks = n ! slice
    case ('stride')
      stride = n ! slice
    case ('depth')
      depth = n
    end select
  end subroutine parse

  subroutine arguments()
    character(len=32) :: arg
    integer :: n, length
    call get_command_argument(1, arg, length) ! slice
    if (length == 0) arg = '3' ! slice
    read (arg, *) n ! slice
    if (n > 0) stride = n ! root
  end subroutine arguments
end module settings

module groups
  use settings
  implicit none
  integer :: colour, leader
contains
  subroutine divide(rank)
    integer, intent(in) :: rank
    colour = rank / stride ! slice
    leader = colour * blocks - mod(colour, 2) ! slice
  end subroutine divide

  integer function source(rank)
    integer, intent(in) :: rank
    if (mod(rank, stride) == 0) then ! slice
      source = leader ! slice
    else
      source = leader + stride - 1 ! slice
    end if
  end function source
end module groups

program main
  use groups
  implicit none
  include 'mpif.h'
  integer :: rank, nprocs, ierr, i, n, from, status(MPI_STATUS_SIZE)
  double precision :: v(8), change
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr)
  n = size(deck) ! slice
  do i = 1, n ! slice
    call parse(deck(i)) ! slice
  end do
  call divide(rank) ! slice
  call arguments() ! slice
  change = 1
  do while (change > eps)
    change = change / (depth + 1)
  end do
  n = 8 ! slice
  v = change
  from = source(rank) ! slice
  if (from /= rank) then ! slice
    call MPI_Recv(v, n, MPI_DOUBLE_PRECISION, from, colour + 1, MPI_COMM_WORLD, status, ierr) ! stop
  else if (rank + 1 < nprocs) then
    call MPI_Send(v, n, MPI_DOUBLE_PRECISION, rank + 1, colour + 1, MPI_COMM_WORLD, ierr)
  end if
  print *, sum(v)
  call MPI_Finalize(ierr)
end program main
