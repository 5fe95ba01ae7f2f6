! usage: class=type_mismatch ranks=2
! Eight-byte integers are received as doubles, with a request; the twin receives
! them as a duplicate of their type.
program f08_type_integer8
  use mpi_f08
  implicit none
  integer :: rank
  character(len=8) :: mode
  logical :: faulty
  integer(kind=8) :: many(5)
  double precision :: x(5)
  type(MPI_Datatype) :: same
  type(MPI_Request) :: req
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  many = 3
  call MPI_Type_dup(MPI_INTEGER8, same)
  if (rank == 0) then
    call MPI_Isend(many, 5, MPI_INTEGER8, 1, 0, MPI_COMM_WORLD, req) ! ERROR
  else if (faulty) then
    call MPI_Irecv(x, 5, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, req) ! ERROR
  else
    call MPI_Irecv(many, 5, same, 0, 0, MPI_COMM_WORLD, req)
  end if
  call MPI_Type_free(same)
  call MPI_Wait(req, MPI_STATUS_IGNORE)
  call MPI_Finalize()
end program f08_type_integer8
