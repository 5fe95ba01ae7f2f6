! usage: class=send_buffer_write ranks=2
! The inner part of an array is sent; the faulty program writes a corner of it, the
! twin the rim around it.
program f08_write_subarray
  use mpi_f08
  implicit none
  integer :: rank
  character(len=8) :: mode
  logical :: faulty
  integer, asynchronous :: a(5, 5)
  type(MPI_Datatype) :: inner
  type(MPI_Request) :: req
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  a = rank
  call MPI_Type_create_subarray(2, [5, 5], [3, 3], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, inner)
  call MPI_Type_commit(inner)
  if (rank == 0) then
    call MPI_Isend(a, 1, inner, 1, 0, MPI_COMM_WORLD, req) ! ERROR
    a(1, :) = 8
    a(:, 5) = 8
    if (faulty) a(4, 4) = 9
    call MPI_Wait(req, MPI_STATUS_IGNORE) ! ERROR
  else
    call MPI_Recv(a, 1, inner, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end if
  call MPI_Type_free(inner)
  call MPI_Finalize()
end program f08_write_subarray
