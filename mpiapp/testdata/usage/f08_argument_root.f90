! usage: class=invalid_argument ranks=3
! Roots are counted from zero.
program f08_argument_root
  use mpi_f08
  implicit none
  integer :: rank, size
  character(len=8) :: mode
  logical :: faulty
  integer :: word, all(3)
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  word = rank
  call MPI_Gather(word, 1, MPI_INTEGER, all, 1, MPI_INTEGER, merge(size, size - 1, faulty), MPI_COMM_WORLD) ! ERROR
  call MPI_Finalize()
end program f08_argument_root
