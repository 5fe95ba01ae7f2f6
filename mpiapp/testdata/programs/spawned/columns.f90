! A climate model spawns three helpers, one by one, and hands each a column of its own in every step.
! With "hang" it takes an empty column for no column.
!
! Truth: the third helper waits at "column" for the column of the last step. The model sent the other
! helpers theirs at "handed", and is in MPI_COMM_DISCONNECT at "leaves".
program columns
  use mpi
  implicit none
  integer, parameter :: helpers = 3, steps = 4, levels = 8
  integer :: parent, ierr
  character(len=16) :: mode

  call MPI_INIT(ierr)
  mode = 'ok'
  if (command_argument_count() > 0) call get_command_argument(1, mode)
  call MPI_COMM_GET_PARENT(parent, ierr)
  if (parent == MPI_COMM_NULL) then
    call model()
  else
    call help()
  end if
  call MPI_FINALIZE(ierr)

contains

  subroutine model()
    character(len=512) :: program
    integer :: helper(helpers), step, i
    double precision :: column(levels), heat, total
    logical :: handed(helpers)
    call get_command_argument(0, program)
    do i = 1, helpers
      call MPI_COMM_SPAWN(trim(program), MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, helper(i), &
                          MPI_ERRCODES_IGNORE, ierr)
    end do
    total = 0
    do step = 1, steps
      do i = 1, helpers
        column = step * i
        if (step == steps .and. i == helpers) column = 0
        handed(i) = mode /= 'hang' .or. any(column /= 0) ! LAGGARD: cause
        if (handed(i)) call MPI_SEND(column, levels, MPI_DOUBLE_PRECISION, 0, 3, helper(i), ierr) ! LAGGARD: handed
      end do
      do i = 1, helpers
        if (.not. handed(i)) cycle
        call MPI_RECV(heat, 1, MPI_DOUBLE_PRECISION, 0, 4, helper(i), MPI_STATUS_IGNORE, ierr)
        total = total + heat
      end do
    end do
    do i = 1, helpers
      call MPI_COMM_DISCONNECT(helper(i), ierr) ! LAGGARD: leaves
    end do
    print '(a, f10.3)', 'heat', total
  end subroutine model

  subroutine help()
    integer :: step
    double precision :: column(levels), heat
    do step = 1, steps
      call MPI_RECV(column, levels, MPI_DOUBLE_PRECISION, 0, 3, parent, MPI_STATUS_IGNORE, ierr) ! LAGGARD: column
      heat = sum(column)
      call MPI_SEND(heat, 1, MPI_DOUBLE_PRECISION, 0, 4, parent, ierr)
    end do
    call MPI_COMM_DISCONNECT(parent, ierr)
  end subroutine help
end program columns
