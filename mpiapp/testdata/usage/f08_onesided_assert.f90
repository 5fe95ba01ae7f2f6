! usage: class=one_sided ranks=2
! The fence at the end of a step says that it completes nothing. The twin says that it opens nothing.
program f08_onesided_assert
  use mpi_f08
  implicit none
  integer :: rank, step, last, shelf(2)
  character(len=8) :: mode
  type(MPI_Win) :: win
  integer(kind=MPI_ADDRESS_KIND) :: bytes, at
  call get_command_argument(1, mode)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  shelf = 0
  bytes = 8
  at = 1
  last = MPI_MODE_NOSUCCEED
  if (mode == 'faulty') last = MPI_MODE_NOPRECEDE
  call MPI_Win_create(shelf, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  do step = 1, 2
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, win)
    call MPI_Put(rank, 1, MPI_INTEGER, 1 - rank, at, 1, MPI_INTEGER, win) ! ERROR
    call MPI_Win_fence(last, win) ! ERROR
  end do
  call MPI_Win_fence(0, win)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_onesided_assert
