! Ranks write their restart data one after the other, each with the lock of the index. One whose field did not change returns before it
! gives the lock up; the next one waits for it.
module index_file
  use iso_c_binding
  use mpi
  implicit none
  integer(c_int), parameter :: f_ulock = 0, f_lock = 1, o_rdwr = 2, o_creat = 64
  integer(c_int) :: file = -1
  interface
    integer(c_int) function c_open(name, flags, mode) bind(c, name="open")
      import
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: flags, mode
    end function
    integer(c_int) function lockf(fd, command, length) bind(c, name="lockf")
      import
      integer(c_int), value :: fd, command
      integer(c_long), value :: length
    end function
  end interface
contains
  subroutine open_index()
    character(len=1024) :: folder
    call get_command_argument(2, folder)
    file = c_open(trim(folder)//'/restart.lock'//c_null_char, ior(o_rdwr, o_creat), int(o'600', c_int))
  end subroutine

  subroutine write_restart(field, changed)
    real, intent(in) :: field(:)
    logical, intent(in) :: changed
    integer :: error
    if (lockf(file, f_lock, 0_c_long) /= 0) call mpi_abort(mpi_comm_world, 1, error)
    if (.not. changed) return
    if (sum(field) < 0) call mpi_abort(mpi_comm_world, 1, error)
    if (lockf(file, f_ulock, 0_c_long) /= 0) call mpi_abort(mpi_comm_world, 1, error)
  end subroutine
end module

program restart
  use index_file
  implicit none
  real :: field(1000)
  integer :: rank, size, error, step
  character(len=8) :: mode
  call get_command_argument(1, mode)
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, size, error)
  call open_index()
  field = real(rank)
  do step = 1, 4
    if (rank == 0) then
      call write_restart(field, .not. (step == 3 .and. mode == 'hang'))
    end if
    call mpi_barrier(mpi_comm_world, error)
    if (rank == 1) call write_restart(field, .true.)
    call mpi_allreduce(mpi_in_place, field, 1000, mpi_real, mpi_max, mpi_comm_world, error)
  end do
  call mpi_finalize(error)
end program
