! tune: rank=1 size=4 stop=MPI_Recv:1
! Common blocks, neighbouring local arrays, values that are read from text.
subroutine setup(rank, nprocs)
  implicit none
  integer rank, nprocs
  integer npeers, peers(8), tags(8), verbose
  double precision work(16)
  common /links/ npeers, peers, tags, work, verbose
  integer left(4), right(4), i, k
  character(len=16) text
  verbose = 0
  text = '2 55'
  read(text, *) npeers, k ! slice
  do i = 1, 4 ! slice
    left(i) = mod(rank + nprocs - i, nprocs) ! slice
    right(i) = mod(rank + i, nprocs)
  end do
  do i = 1, npeers ! slice
    peers(i) = left(i) ! slice
    tags(i) = k + i ! root
  end do
  do i = 1, 16
    work(i) = right(1) * i
  end do
end subroutine setup

subroutine receive(which)
  implicit none
  include 'mpif.h'
  integer which, ierr, status(MPI_STATUS_SIZE)
  integer npeers, peers(8), tags(8), verbose
  double precision work(16)
  common /links/ npeers, peers, tags, work, verbose
  call MPI_Recv(work, 16, MPI_DOUBLE_PRECISION, peers(which), tags(which), MPI_COMM_WORLD, status, ierr) ! stop
end subroutine receive

program blocks
  implicit none
  include 'mpif.h'
  integer rank, nprocs, ierr, which
  character(len=32) arg
  double precision scale(3)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  which = 2 ! slice
  scale(1) = 2
  if (command_argument_count() > 0) then ! slice
    call get_command_argument(1, arg) ! slice
    read(arg, *) which ! slice
  end if
  call setup(rank, nprocs) ! slice
  call receive(which) ! slice
  print *, scale(1)
  call MPI_Finalize(ierr)
end program blocks
