! usage: class=leak ranks=2
! The window of an array stays.
program mpi_leak_window
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: shelf(4), win
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  shelf = rank
  bytes = 16
  call MPI_Win_create(shelf, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr) ! ERROR
  call MPI_Win_fence(0, win, ierr)
  if (.not. faulty) call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program mpi_leak_window
