! usage: class=one_sided ranks=2
! A flush outside of any lock. The twin locks all.
program f08_onesided_flush
  use mpi_f08
  implicit none
  integer :: rank
  character(len=8) :: mode
  logical :: faulty
  type(MPI_Win) :: win
  integer :: shelf(2)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, at
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  shelf = 0
  bytes = 8
  at = 0
  call MPI_Win_create(shelf, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  if (.not. faulty) then
    call MPI_Win_lock_all(0, win)
    call MPI_Put(rank, 1, MPI_INTEGER, 1 - rank, at, 1, MPI_INTEGER, win)
  end if
  call MPI_Win_flush(1 - rank, win) ! ERROR
  if (.not. faulty) call MPI_Win_unlock_all(win)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_onesided_flush
