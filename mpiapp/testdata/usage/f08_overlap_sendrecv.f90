! usage: class=buffer_overlap|invalid_argument ranks=2
! One buffer for both sides of an exchange; the twin uses the call that is for it.
program f08_overlap_sendrecv
  use mpi_f08
  implicit none
  integer :: rank
  character(len=8) :: mode
  logical :: faulty
  integer :: word, other
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  word = rank
  other = 1 - rank
  if (faulty) then
    call MPI_Sendrecv(word, 1, MPI_INTEGER, other, 0, word, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! ERROR
  else
    call MPI_Sendrecv_replace(word, 1, MPI_INTEGER, other, 0, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end if
  call MPI_Finalize()
end program f08_overlap_sendrecv
