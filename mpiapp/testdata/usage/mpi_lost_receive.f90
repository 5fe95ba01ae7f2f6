! usage: class=lost_request ranks=2
! The receive of a halo is not completed when it is read; the twin tests for it.
program mpi_lost_receive
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: word, req
  logical :: there
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  word = rank
  if (rank == 0) then
    call MPI_Send(word, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Irecv(word, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, req, ierr) ! ERROR
    there = faulty
    do while (.not. there)
      call MPI_Test(req, there, MPI_STATUS_IGNORE, ierr)
    end do
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program mpi_lost_receive
