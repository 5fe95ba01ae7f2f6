! usage: class=invalid_argument ranks=2
! An attribute is set by a key that was freed. The twin frees the key while the
! attribute is there, which MPI allows.
program mpi_argument_keyval
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: key, copy, comm
  integer(kind=MPI_ADDRESS_KIND) :: extra, value
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  extra = 0
  value = rank
  call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
  copy = key
  if (.not. faulty) call MPI_Comm_set_attr(comm, key, value, ierr)
  call MPI_Comm_free_keyval(key, ierr) ! ERROR
  if (faulty) call MPI_Comm_set_attr(comm, copy, value, ierr)
  call MPI_Comm_free(comm, ierr)
  call MPI_Finalize(ierr)
end program mpi_argument_keyval
