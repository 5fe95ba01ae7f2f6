! Windows and neighbours with "use mpi". Rank 2 is lost before its third post to
! rank 0 ("post"), with a lock of rank 0 that rank 5 asks for ("lock"), or before
! the third exchange along a line ("line").
module loss
  implicit none
contains
  subroutine settle(x, tolerance)
    double precision, intent(inout) :: x
    double precision, intent(in) :: tolerance
    x = 1
    do while (x > tolerance) ! LAGGARD: loop begin
      x = x / 2
    end do ! LAGGARD: loop end
  end subroutine settle
end module loss

program window
  use mpi
  use loss
  implicit none
  integer, parameter :: victim = 2
  integer :: ierr, rank, nprocs, step, win, world, origin, targets, line, token, near(2)
  integer, target :: box(1024)
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  double precision :: x
  character(len=8) :: mode
  call get_command_argument(1, mode)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr)
  call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
  call MPI_Group_incl(world, 1, [0], origin, ierr)
  call MPI_Group_incl(world, 2, [1, 2], targets, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [nprocs], [.false.], .false., line, ierr)
  box = 0
  bytes = 4096
  call MPI_Win_create(box, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  do step = 1, 4
    if (mode == 'post' .or. mode == 'ok') call expose(mode == 'post' .and. step == 3)
    if (mode == 'line' .or. mode == 'ok') call exchange(mode == 'line' .and. step == 3)
  end do
  if (mode == 'lock' .or. mode == 'ok') call exclude(mode == 'lock')
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a)', 'done'
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine lose(lost)
    logical, intent(in) :: lost
    call settle(x, merge(-1d0, 1d-3, lost .and. rank == victim))
  end subroutine lose

  subroutine expose(lost)
    logical, intent(in) :: lost
    call lose(lost)
    if (rank == 0) then
      call MPI_Win_start(targets, 0, win, ierr)
      call MPI_Win_complete(win, ierr)
    else if (rank <= 2) then
      call MPI_Win_post(origin, 0, win, ierr)
      call MPI_Win_wait(win, ierr)
    end if
  end subroutine expose

  subroutine exchange(lost)
    logical, intent(in) :: lost
    call lose(lost)
    near = 0
    call MPI_Neighbor_allgather(step, 1, MPI_INTEGER, near, 1, MPI_INTEGER, line, ierr)
  end subroutine exchange

  subroutine exclude(lost)
    logical, intent(in) :: lost
    if (rank == victim) then
      call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win, ierr)
      call MPI_Send(rank, 1, MPI_INTEGER, 5, 3, MPI_COMM_WORLD, ierr)
      call lose(lost)
      call MPI_Win_unlock(0, win, ierr)
    else if (rank == 5) then
      call MPI_Recv(token, 1, MPI_INTEGER, victim, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win, ierr)
      call MPI_Win_unlock(0, win, ierr)
    end if
  end subroutine exclude
end program window
