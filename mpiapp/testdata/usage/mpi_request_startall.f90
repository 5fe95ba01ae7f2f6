! usage: class=request_misuse ranks=2
! Both requests are started together although one is active already.
program mpi_request_startall
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: req(2), out, in(2), other
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  out = rank
  other = 1 - rank
  call MPI_Send_init(out, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, req(1), ierr)
  call MPI_Recv_init(in, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, req(2), ierr)
  call MPI_Start(req(2), ierr)
  if (faulty) then
    call MPI_Startall(2, req, ierr) ! ERROR
  else
    call MPI_Startall(1, req, ierr)
  end if
  call MPI_Waitall(2, req, MPI_STATUSES_IGNORE, ierr)
  call MPI_Request_free(req(1), ierr)
  call MPI_Request_free(req(2), ierr)
  call MPI_Finalize(ierr)
end program mpi_request_startall
