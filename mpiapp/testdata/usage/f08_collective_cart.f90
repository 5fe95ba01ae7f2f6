! usage: class=collective_mismatch ranks=4 may-hang
! A grid of 2 x 2 for three ranks, and of 4 x 1 for the fourth.
program f08_collective_cart
  use mpi_f08
  implicit none
  integer :: rank
  character(len=8) :: mode
  logical :: faulty
  type(MPI_Comm) :: grid
  integer :: dims(2)
  logical :: around(2)
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  dims = 2
  around = .true.
  if (faulty .and. rank == 3) dims = [4, 1]
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, around, .false., grid) ! ERROR
  call MPI_Comm_free(grid)
  call MPI_Finalize()
end program f08_collective_cart
