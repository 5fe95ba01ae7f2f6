! np: 4
! says: Rank 0 is least progressed, of 4 ranks (confidence 0.70
! says: because: rank 3 waits for rank 0 to start a persistent request; rank 0 created the receive from rank 3 (stations.f90:@1) and never
! says: never started it, but waited for it
! not: decided at
! Stations report to rank 0 by synchronous persistent requests. From the third round on station 3 reports too; rank 0 makes a receive for
! it and goes on to start two.
program stations
  use mpi
  implicit none
  integer, parameter :: rounds = 6, joins = 3
  integer :: rank, ranks, round, active, ierr, i
  integer :: request(3)
  double precision :: level(3), report
  logical :: hang
  character(len=16) :: mode

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
  mode = 'good'
  if (command_argument_count() > 0) call get_command_argument(1, mode)
  hang = mode == 'hang'
  request = MPI_REQUEST_NULL
  active = 2
  if (rank == 0) then
    do i = 1, 2
      call listen(i)
    end do
  else
    call MPI_SSEND_INIT(report, 1, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, request(1), ierr)
  end if
  do round = 1, rounds
    if (rank == 0) then
      if (round == joins) call join()
      call MPI_STARTALL(active, request, ierr)
      call MPI_WAITALL(3, request, MPI_STATUSES_IGNORE, ierr)
    else if (rank < 3 .or. round >= joins) then
      report = rank + 0.1d0 * round
      call MPI_START(request(1), ierr)
      call MPI_WAIT(request(1), MPI_STATUS_IGNORE, ierr)
    end if
    call MPI_BARRIER(MPI_COMM_WORLD, ierr)
  end do
  do i = 1, 3
    if (request(i) /= MPI_REQUEST_NULL) call MPI_REQUEST_FREE(request(i), ierr)
  end do
  call MPI_FINALIZE(ierr)

contains

  subroutine listen(station)
    integer, intent(in) :: station
    call MPI_RECV_INIT(level(station), 1, MPI_DOUBLE_PRECISION, station, 7, MPI_COMM_WORLD, request(station), ierr) ! LAGGARD: 1
  end subroutine listen

  subroutine join()
    call listen(3)
    if (.not. hang) active = 3
  end subroutine join
end program stations
