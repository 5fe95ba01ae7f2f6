! usage: class=potential_deadlock ranks=4
! A ring of standard sends; the twin alternates odd and even ranks.
program mpi_potential_ring
  use mpi
  implicit none
  integer :: rank, size, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: left, right, out, in
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  left = mod(rank + size - 1, size)
  right = mod(rank + 1, size)
  out = rank
  if (faulty .or. mod(rank, 2) == 0) then
    call MPI_Send(out, 1, MPI_INTEGER, right, 0, MPI_COMM_WORLD, ierr) ! ERROR
    call MPI_Recv(in, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  else
    call MPI_Recv(in, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Send(out, 1, MPI_INTEGER, right, 0, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize(ierr)
end program mpi_potential_ring
