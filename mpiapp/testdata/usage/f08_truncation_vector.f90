! usage: class=truncation ranks=2
! A strided section is received with one block less than is sent.
program f08_truncation_vector
  use mpi_f08
  implicit none
  integer :: rank
  character(len=8) :: mode
  logical :: faulty
  integer :: a(12), blocks
  type(MPI_Datatype) :: column
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  a = rank
  blocks = 4
  if (faulty .and. rank == 1) blocks = 3
  call MPI_Type_vector(blocks, 1, 3, MPI_INTEGER, column)
  call MPI_Type_commit(column)
  if (rank == 0) then
    call MPI_Send(a, 1, column, 1, 0, MPI_COMM_WORLD) ! ERROR
  else
    call MPI_Recv(a, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! ERROR
  end if
  call MPI_Type_free(column)
  call MPI_Finalize()
end program f08_truncation_vector
