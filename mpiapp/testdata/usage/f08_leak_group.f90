! usage: class=leak ranks=2
! The union of two groups stays.
program f08_leak_group
  use mpi_f08
  implicit none
  character(len=8) :: mode
  logical :: faulty
  type(MPI_Group) :: world, self, both
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_group(MPI_COMM_WORLD, world)
  call MPI_Comm_group(MPI_COMM_SELF, self)
  call MPI_Group_union(world, self, both) ! ERROR
  call MPI_Group_free(world)
  call MPI_Group_free(self)
  if (.not. faulty) call MPI_Group_free(both)
  call MPI_Finalize()
end program f08_leak_group
