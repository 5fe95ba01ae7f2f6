! np: 4
! says: Rank 3 is least progressed, of 4 ranks (confidence 0.70
! says: because: rank 0 waits for a message that rank 3 did not send; MPI had returned an error to it in MPI_Send (givers.f90:@1)
! says: MPI returned 1 error to rank 3 in MPI_Send in balance::give (givers.f90:@1)
! not: either may be wrong
! Ranks give load away in turn to the one behind them. In one round the rank is not brought back into the range, and nobody looks at what MPI
! returns.
module balance
  use mpi
  implicit none
contains
  subroutine give(load, to)
    real(8), intent(inout) :: load
    integer, intent(in) :: to
    real(8) :: part
    integer :: ierr
    part = load/2
    load = load - part
    call MPI_Send(part, 1, MPI_DOUBLE_PRECISION, to, 7, MPI_COMM_WORLD, ierr) ! LAGGARD: 1
  end subroutine give

  subroutine take(load, from)
    real(8), intent(inout) :: load
    integer, intent(in) :: from
    real(8) :: part
    integer :: ierr
    call MPI_Recv(part, 1, MPI_DOUBLE_PRECISION, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    load = load + part
  end subroutine take
end module balance

program givers
  use mpi
  use balance
  implicit none
  character(len=8) :: mode
  real(8) :: load, total
  integer :: rank, ranks, step, giver, to, ierr
  call MPI_Init(ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, mode)
  load = 1 + rank
  do step = 0, 15
    giver = mod(step, ranks)
    to = giver + 1
    if (mode /= 'hang' .or. step < 8) to = mod(to, ranks)
    if (rank == giver) call give(load, to)
    if (rank == mod(giver + 1, ranks)) call take(load, giver)
    call MPI_Allreduce(load, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end do
  call MPI_Finalize(ierr)
end program givers
