! usage: class=ready_send ranks=3
! Ready sends to a rank that posts its receives after it has said so. The twin says
! so after.
program f08_ready_send
  use mpi_f08
  implicit none
  integer :: rank
  character(len=8) :: mode
  logical :: faulty
  integer :: word, in(2), i
  type(MPI_Request) :: req(2)
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  word = rank
  if (rank == 0) then
    do i = 1, 2
      if (.not. faulty) call MPI_Irecv(in(i), 1, MPI_INTEGER, i, 0, MPI_COMM_WORLD, req(i))
      call MPI_Send(word, 1, MPI_INTEGER, i, 1, MPI_COMM_WORLD)
      if (faulty) call MPI_Recv(word, 1, MPI_INTEGER, i, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (faulty) call MPI_Irecv(in(i), 1, MPI_INTEGER, i, 0, MPI_COMM_WORLD, req(i)) ! ERROR
    end do
    call MPI_Waitall(2, req, MPI_STATUSES_IGNORE)
  else
    call MPI_Recv(word, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Rsend(word, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD) ! ERROR
    if (faulty) call MPI_Send(word, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD)
  end if
  call MPI_Finalize()
end program f08_ready_send
