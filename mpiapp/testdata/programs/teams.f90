! Teams of ranks with "use mpi_f08": each team reduces to its first rank, the
! first ranks meet, and everyone gets the result. With "hang" rank 6 receives
! from a rank of its team that has nothing to send: rank 5 waits in the broadcast
! for rank 4, rank 4 in the reduction for rank 6, and rank 6 for rank 5.
program teams
  use mpi_f08
  implicit none
  integer, parameter :: victim = 6, team_size = 4
  type(MPI_Comm) :: team, heads
  integer :: rank, place, step, total, mine
  character(len=8) :: mode
  call get_command_argument(1, mode)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_split(MPI_COMM_WORLD, rank / team_size, rank, team)
  call MPI_Comm_rank(team, place)
  call MPI_Comm_split(MPI_COMM_WORLD, merge(0, MPI_UNDEFINED, place == 0), rank, heads)
  total = 0
  do step = 1, 6
    mine = rank * step
    call share(mine, mode == 'hang' .and. rank == victim .and. step == 4)
    if (place == 0) call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, heads)
    call MPI_Bcast(total, 1, MPI_INTEGER, 0, team) ! LAGGARD: here
  end do
  if (rank == 1) print '(a, i6)', 'total', total
  call MPI_Finalize()
contains
  subroutine share(value, waits)
    integer, intent(inout) :: value
    logical, intent(in) :: waits
    integer :: sum
    if (waits) call MPI_Recv(sum, 1, MPI_INTEGER, place - 1, 42, team, MPI_STATUS_IGNORE) ! LAGGARD: here
    call MPI_Reduce(value, sum, 1, MPI_INTEGER, MPI_SUM, 0, team) ! LAGGARD: here
    if (place == 0) value = sum
  end subroutine share
end program teams
