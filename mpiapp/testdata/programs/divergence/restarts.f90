! np: 4
! odd: 0
! kind: skipped
! call: MPI_Bcast 20
! branch: 32
! why: only the main task looks for the restart file; the loop over the sheets is the same on all ranks
module streams
  use mpi
  implicit none
  integer, parameter :: main_task = 0
  integer :: my_task, comm
contains
  subroutine open_file(unit, name, rc)
    integer, intent(out) :: unit, rc
    character(len=*), intent(in) :: name
    rc = 0
    if (my_task == main_task) then
      open(newunit=unit, file=name, form='unformatted', status='old', iostat=rc)
    end if
    call mpi_bcast(rc, 1, mpi_integer, main_task, comm, unit)
  end subroutine

  subroutine read_restart(name, field, rc)
    character(len=*), intent(in) :: name
    real(8), intent(inout) :: field(:)
    integer, intent(out) :: rc
    integer :: unit, ierr
    logical :: exists
    rc = 0
    if (my_task == main_task) then
      inquire(file=name, exist=exists)
      if (.not. exists) then
        write(*, *) 'no file ', trim(name)
        rc = 1
        return
      end if
    end if
    call open_file(unit, name, rc)
    if (rc /= 0) return
    call mpi_bcast(field, size(field), mpi_double_precision, main_task, comm, ierr)
  end subroutine
end module

program ice
  use streams
  implicit none
  character(len=8) :: mode
  character(len=64) :: name
  real(8) :: field(100, 2), local, total
  integer :: sheet, step, rc, ierr
  call get_command_argument(1, mode)
  call mpi_init(ierr)
  call mpi_comm_dup(mpi_comm_world, comm, ierr)
  call mpi_comm_rank(comm, my_task, ierr)
  field = my_task
  do sheet = 1, 2
    name = '/dev/null'
    if (mode == 'hang' .and. sheet == 2) name = '/nowhere/sheet2.nc'
    call read_restart(name, field(:, sheet), rc)
    if (rc /= 0) write(*, *) 'sheet ', sheet, ' starts from its forcing'
  end do
  do step = 1, 5
    local = sum(field)
    call mpi_allreduce(local, total, 1, mpi_double_precision, mpi_sum, comm, ierr)
  end do
  call mpi_finalize(ierr)
end program
