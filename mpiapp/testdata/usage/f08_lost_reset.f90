! usage: class=lost_request ranks=3
! A handle is set to null to make the array of requests tidy, while the request is
! under way. In the twin that one never was one.
program f08_lost_reset
  use mpi_f08
  implicit none
  integer :: rank, size
  character(len=8) :: mode
  logical :: faulty
  type(MPI_Request) :: req(2)
  integer :: left, right, out, in
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  out = rank
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  req(1) = MPI_REQUEST_NULL
  if (faulty) then
    call MPI_Isend(out, 1, MPI_INTEGER, right, 0, MPI_COMM_WORLD, req(1)) ! ERROR
    req(1) = MPI_REQUEST_NULL
    call MPI_Irecv(in, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, req(2))
  else
    call MPI_Irecv(in, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, req(2))
    call MPI_Send(out, 1, MPI_INTEGER, right, 0, MPI_COMM_WORLD)
  end if
  call MPI_Waitall(2, req, MPI_STATUSES_IGNORE)
  call MPI_Finalize()
end program f08_lost_reset
