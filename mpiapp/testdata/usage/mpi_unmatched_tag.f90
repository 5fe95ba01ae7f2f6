! usage: class=unmatched_message ranks=3
! The message with the second tag is not received by the last rank.
program mpi_unmatched_tag
  use mpi
  implicit none
  integer :: rank, size, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: word, right, left
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  word = rank
  right = rank + 1
  left = rank - 1
  if (right == size) right = MPI_PROC_NULL
  if (left < 0) left = MPI_PROC_NULL
  call MPI_Send(word, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierr)
  call MPI_Recv(word, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Send(word, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, ierr) ! ERROR
  if (.not. faulty .or. rank /= 2) call MPI_Recv(word, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Finalize(ierr)
end program mpi_unmatched_tag
