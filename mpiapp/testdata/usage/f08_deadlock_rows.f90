! usage: class=deadlock ranks=6 hangs
! Rows sum up, and the first column exchanges: rank 3 wants a message from rank 0,
! which waits for its row, where rank 1 waits for a message from rank 3. The twin
! sends to rank 1 first.
program f08_deadlock_rows
  use mpi_f08
  implicit none
  integer :: rank
  character(len=8) :: mode
  logical :: faulty
  type(MPI_Comm) :: row
  integer :: word, total
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  word = rank
  call MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, row)
  if (rank == 3) then
    if (.not. faulty) call MPI_Send(word, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
    call MPI_Recv(word, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! ERROR
    if (faulty) call MPI_Send(word, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
  end if
  if (rank == 1) call MPI_Recv(word, 1, MPI_INTEGER, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! ERROR
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, row) ! ERROR
  if (rank == 0) call MPI_Send(word, 1, MPI_INTEGER, 3, 0, MPI_COMM_WORLD)
  call MPI_Comm_free(row)
  call MPI_Finalize()
end program f08_deadlock_rows
