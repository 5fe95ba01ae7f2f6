! A sum without end, in which a rank stops: howends HOW RANK MILLISECONDS
program howends
  use mpi
  implicit none
  integer :: rank, victim, after, ierr
  double precision :: x, total, began, halo(4)
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
      if (how == 'stoptext') stop 'no convergence'
      if (how == 'bounds') call smooth(halo, size(halo) + 1)
      if (how == 'open') open (unit=9, file='/nowhere/in', status='old')
    end if
  end do
contains
  subroutine smooth(a, n)
    double precision, intent(inout) :: a(:)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      a(i) = x
    end do
  end subroutine
end program
