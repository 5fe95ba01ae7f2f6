! usage: class=collective_mismatch ranks=3
! One rank multiplies where the others sum up; the twin sums up in place at the root.
program f08_collective_op
  use mpi_f08
  implicit none
  integer :: rank
  character(len=8) :: mode
  logical :: faulty
  real :: x, total
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  x = real(rank)
  if (faulty) then
    if (rank == 2) then
      call MPI_Reduce(x, total, 1, MPI_REAL, MPI_PROD, 0, MPI_COMM_WORLD) ! ERROR
    else
      call MPI_Reduce(x, total, 1, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD) ! ERROR
    end if
  else if (rank == 0) then
    call MPI_Reduce(MPI_IN_PLACE, x, 1, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD)
  else
    call MPI_Reduce(x, total, 1, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD)
  end if
  call MPI_Finalize()
end program f08_collective_op
