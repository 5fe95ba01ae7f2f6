! usage: class=one_sided ranks=2
! An accumulation without a fence before it.
program mpi_onesided_fence
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: shelf(2), win
  integer(kind=MPI_ADDRESS_KIND) :: bytes, at
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  shelf = 0
  bytes = 8
  at = 1
  call MPI_Win_create(shelf, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  if (.not. faulty) call MPI_Win_fence(0, win, ierr)
  call MPI_Accumulate(rank, 1, MPI_INTEGER, 1 - rank, at, 1, MPI_INTEGER, MPI_SUM, win, ierr) ! ERROR
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program mpi_onesided_fence
