! usage: class=bsend_buffer ranks=2
! A buffered send after the buffer was detached.
program mpi_bsend_detached
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  integer, parameter :: bytes = 64 + MPI_BSEND_OVERHEAD
  character :: room(bytes), back(bytes)
  integer :: word, n
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  word = rank
  if (rank == 0) then
    call MPI_Buffer_attach(room, bytes, ierr)
    call MPI_Bsend(word, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    if (faulty) call MPI_Buffer_detach(back, n, ierr)
    call MPI_Bsend(word, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, ierr) ! ERROR
    if (.not. faulty) call MPI_Buffer_detach(back, n, ierr)
  else
    call MPI_Recv(word, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Recv(word, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
  call MPI_Finalize(ierr)
end program mpi_bsend_detached
