! A sum without end, in which a rank stops: howends HOW RANK MILLISECONDS
program howends
  use mpi
  implicit none
  integer :: rank, victim, after, ierr
  double precision :: x, total, began
  character(len=16) :: how, word
  call get_command_argument(1, how)
  call get_command_argument(2, word)
  read (word, *) victim
  call get_command_argument(3, word)
  read (word, *) after
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = 1
  began = MPI_Wtime()
  do
    call MPI_Allreduce(x, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (rank == victim .and. MPI_Wtime() - began > after / 1000.0) then
      if (how == 'stop') stop 3
      if (how == 'errorstop') error stop 4
    end if
  end do
end program
