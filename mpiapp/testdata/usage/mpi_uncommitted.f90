! usage: class=invalid_type ranks=2
! A subarray is received that was not committed.
program mpi_uncommitted
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: a(4, 4), inner
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = rank
  call MPI_Type_create_subarray(2, [4, 4], [2, 2], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, inner, ierr)
  if (.not. faulty .or. rank == 0) call MPI_Type_commit(inner, ierr)
  if (rank == 0) then
    call MPI_Send(a, 1, inner, 1, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Recv(a, 1, inner, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! ERROR
  end if
  call MPI_Type_free(inner, ierr)
  call MPI_Finalize(ierr)
end program mpi_uncommitted
