! usage: class=deadlock ranks=4 hangs
! Everybody completes its receives before anybody has sent.
program mpi_deadlock_waitall
  use mpi
  implicit none
  integer :: rank, size, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: left, right, out, in(2), req(2)
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  left = mod(rank + size - 1, size)
  right = mod(rank + 1, size)
  out = rank
  call MPI_Irecv(in(1), 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, req(1), ierr)
  call MPI_Irecv(in(2), 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, req(2), ierr)
  if (faulty) call MPI_Waitall(2, req, MPI_STATUSES_IGNORE, ierr) ! ERROR
  call MPI_Send(out, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierr)
  call MPI_Send(out, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, ierr)
  if (.not. faulty) call MPI_Waitall(2, req, MPI_STATUSES_IGNORE, ierr)
  call MPI_Finalize(ierr)
end program mpi_deadlock_waitall
