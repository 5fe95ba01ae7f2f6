! usage: class=potential_deadlock ranks=16
! A reduction over a hypercube by pairs that both send first; in the twin the
! lower one sends first.
program f08_potential_hypercube
  use mpi_f08
  implicit none
  integer :: rank, size
  character(len=8) :: mode
  logical :: faulty
  integer :: bit, other, mine, theirs
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  mine = rank
  bit = 1
  do while (bit < size)
    other = ieor(rank, bit)
    if (faulty .or. rank < other) then
      call MPI_Send(mine, 1, MPI_INTEGER, other, bit, MPI_COMM_WORLD) ! ERROR
      call MPI_Recv(theirs, 1, MPI_INTEGER, other, bit, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    else
      call MPI_Recv(theirs, 1, MPI_INTEGER, other, bit, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Send(mine, 1, MPI_INTEGER, other, bit, MPI_COMM_WORLD)
    end if
    mine = mine + theirs
    bit = 2 * bit
  end do
  call MPI_Finalize()
end program f08_potential_hypercube
