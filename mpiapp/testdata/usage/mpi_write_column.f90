! usage: class=send_buffer_write ranks=2
! A column is sent, and an element of it is written before the request is complete.
program mpi_write_column
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  double precision :: a(6, 6)
  integer :: req
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = rank
  if (rank == 0) then
    call MPI_Isend(a(1, 3), 6, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, req, ierr) ! ERROR
    a(:, 2) = 5
    if (faulty) a(6, 3) = 7
    a(:, 4) = 5
    call MPI_Wait(req, MPI_STATUS_IGNORE, ierr) ! ERROR
  else
    call MPI_Recv(a(1, 3), 6, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
  call MPI_Finalize(ierr)
end program mpi_write_column
