! usage: class=receive_buffer_write ranks=2
! A row of ghost cells is set to the boundary's value while it is being received;
! the twin sets the row beside it.
program f08_receive_write
  use mpi_f08
  implicit none
  integer :: rank
  character(len=8) :: mode
  logical :: faulty
  real(kind(1d0)), asynchronous :: cells(8, 3)
  type(MPI_Request) :: req
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  cells = rank + 1
  if (rank == 1) then
    call MPI_Irecv(cells(1, 1), 8, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, req) ! ERROR
    if (faulty) then
      cells(:, 1) = 0
    else
      cells(:, 2) = 0
    end if
    call MPI_Send(cells(1, 3), 8, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD) ! ERROR
    call MPI_Wait(req, MPI_STATUS_IGNORE)
  else
    call MPI_Recv(cells(1, 2), 8, MPI_DOUBLE_PRECISION, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Send(cells(1, 1), 8, MPI_DOUBLE_PRECISION, 1, 2, MPI_COMM_WORLD)
  end if
  call MPI_Finalize()
end program f08_receive_write
