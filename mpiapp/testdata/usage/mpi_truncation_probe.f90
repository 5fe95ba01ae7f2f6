! usage: class=truncation ranks=3
! The second message is received by the size of the first. The twin asks for each.
program mpi_truncation_probe
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: i, n, st(MPI_STATUS_SIZE)
  double precision :: out(8), in(8)
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  out = 1d0
  if (rank > 0) then
    call MPI_Send(out, 4 * rank, MPI_DOUBLE_PRECISION, 0, rank, MPI_COMM_WORLD, ierr) ! ERROR
  else
    do i = 1, 2
      if (i == 1 .or. .not. faulty) then
        call MPI_Probe(i, i, MPI_COMM_WORLD, st, ierr)
        call MPI_Get_count(st, MPI_DOUBLE_PRECISION, n, ierr)
      end if
      call MPI_Recv(in, n, MPI_DOUBLE_PRECISION, i, i, MPI_COMM_WORLD, st, ierr) ! ERROR
    end do
  end if
  call MPI_Finalize(ierr)
end program mpi_truncation_probe
