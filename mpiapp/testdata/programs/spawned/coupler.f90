! A coupler spawns two components and asks each for its flux; both sides then
! disconnect. With "hang" the components take the coupler's last question for
! the order to stop: they disconnect without an answer.
!
! Truth: both spawned ranks wait in MPI_COMM_DISCONNECT at "component leaves"
! for the coupler, which never gets there: it waits at "coupler waits" for the
! flux of rank 0 of the spawned processes.
program coupler
  use mpi
  implicit none
  integer, parameter :: components = 2, steps = 4
  integer :: parent, other, ierr
  character(len=16) :: mode

  call MPI_INIT(ierr)
  mode = 'ok'
  if (command_argument_count() > 0) call get_command_argument(1, mode)
  call MPI_COMM_GET_PARENT(parent, ierr)
  if (parent == MPI_COMM_NULL) then
    call couple()
  else
    call answer()
  end if
  call MPI_FINALIZE(ierr)

contains

  subroutine couple()
    character(len=512) :: program
    character(len=16) :: arguments(2)
    integer :: step, i
    double precision :: flux, total
    call get_command_argument(0, program)
    arguments(1) = mode
    arguments(2) = ' '
    call MPI_COMM_SPAWN(trim(program), arguments, components, MPI_INFO_NULL, 0, MPI_COMM_SELF, other, & ! LAGGARD: spawn
                        MPI_ERRCODES_IGNORE, ierr)
    total = 0
    do step = 1, steps
      do i = 0, components - 1
        call MPI_SEND(step, 1, MPI_INTEGER, i, 5, other, ierr)
      end do
      do i = 0, components - 1
        call MPI_RECV(flux, 1, MPI_DOUBLE_PRECISION, i, 6, other, MPI_STATUS_IGNORE, ierr) ! LAGGARD: coupler waits
        total = total + flux
      end do
    end do
    print '(a, f8.3)', 'total', total
    call MPI_COMM_DISCONNECT(other, ierr)
  end subroutine couple

  subroutine answer()
    integer :: step, last
    double precision :: flux
    last = steps
    if (mode == 'hang') last = steps - 1 ! LAGGARD: cause
    do
      call MPI_RECV(step, 1, MPI_INTEGER, 0, 5, parent, MPI_STATUS_IGNORE, ierr)
      if (step > last) exit
      flux = 1d0 / step
      call MPI_SEND(flux, 1, MPI_DOUBLE_PRECISION, 0, 6, parent, ierr)
      if (step == steps) exit
    end do
    call MPI_COMM_DISCONNECT(parent, ierr) ! LAGGARD: component leaves
  end subroutine answer
end program coupler
