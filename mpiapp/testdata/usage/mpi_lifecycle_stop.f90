! usage: class=lifecycle ranks=2
! The program stops without MPI_Finalize.
program mpi_lifecycle_stop
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: word, total
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  word = rank
  call MPI_Allreduce(word, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr) ! ERROR
  if (faulty .and. total == 1) stop
  call MPI_Finalize(ierr)
end program mpi_lifecycle_stop
