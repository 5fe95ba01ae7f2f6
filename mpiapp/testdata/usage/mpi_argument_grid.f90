! usage: class=invalid_argument ranks=3
! A grid with more places than ranks; the twin's is smaller, and a rank is left out.
program mpi_argument_grid
  use mpi
  implicit none
  integer :: ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: dims(2), grid
  logical :: around(2)
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  dims = [2, 1]
  if (faulty) dims = [2, 2]
  around = .false.
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, around, .false., grid, ierr) ! ERROR
  if (grid /= MPI_COMM_NULL) call MPI_Comm_free(grid, ierr)
  call MPI_Finalize(ierr)
end program mpi_argument_grid
