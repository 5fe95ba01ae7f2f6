! np: 4
! says: Rank 3 waits for message 3 from rank 2 with tag 11 on
! says: 1 message from rank 2 to rank 3 with tag 12 on
! says: lies unreceived, sent with MPI_Send in shift (tags.f90:@1)
! A field is shifted along a line of ranks; at the third step one of them gives the tag of the other direction.
program tags
  use mpi
  implicit none
  integer, parameter :: east = 11, west = 12
  integer :: me, np, ierr, step, line
  double precision :: u(100), v(100)
  character(len=8) :: mode
  call get_command_argument(1, mode)
  call mpi_init(ierr)
  call mpi_comm_dup(MPI_COMM_WORLD, line, ierr)
  call mpi_comm_rank(line, me, ierr)
  call mpi_comm_size(line, np, ierr)
  u = me
  do step = 1, 5
    call shift(direction(step))
    call mpi_barrier(line, ierr)
  end do
  call mpi_finalize(ierr)
contains
  integer function direction(step)
    integer, intent(in) :: step
    direction = east
    if (mode == 'hang' .and. step == 3 .and. me == 2) direction = west
  end function
  subroutine shift(tag)
    integer, intent(in) :: tag
    if (me < np - 1) call mpi_send(u, 100, MPI_DOUBLE_PRECISION, me + 1, tag, line, ierr) ! LAGGARD: 1
    if (me > 0) call mpi_recv(v, 100, MPI_DOUBLE_PRECISION, me - 1, east, line, MPI_STATUS_IGNORE, ierr)
  end subroutine
end program
