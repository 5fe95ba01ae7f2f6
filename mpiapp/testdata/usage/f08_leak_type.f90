! usage: class=leak ranks=2
! The resized type is freed, and the vector that it was made of is not.
program f08_leak_type
  use mpi_f08
  implicit none
  integer :: rank
  character(len=8) :: mode
  logical :: faulty
  type(MPI_Datatype) :: row, column
  integer :: a(3, 3)
  integer(kind=MPI_ADDRESS_KIND) :: lower, extent
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  a = rank
  lower = 0
  extent = 4
  call MPI_Type_vector(3, 1, 3, MPI_INTEGER, row) ! ERROR
  call MPI_Type_create_resized(row, lower, extent, column)
  call MPI_Type_commit(column)
  call MPI_Bcast(a, 3, column, 0, MPI_COMM_WORLD)
  call MPI_Type_free(column)
  if (.not. faulty) call MPI_Type_free(row)
  call MPI_Finalize()
end program f08_leak_type
