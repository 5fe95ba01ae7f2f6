! usage: class=collective_mismatch ranks=4 may-hang
! Rank 2 counts roots from one.
program mpi_collective_root
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: a(4), b(16), root
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = rank
  root = 0
  if (faulty .and. rank == 2) root = 1
  call MPI_Gather(a, 4, MPI_INTEGER, b, 4, MPI_INTEGER, root, MPI_COMM_WORLD, ierr) ! ERROR
  call MPI_Finalize(ierr)
end program mpi_collective_root
