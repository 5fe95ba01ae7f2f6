! usage: class=collective_mismatch ranks=3
! Diagnostics as a table of names, values and operations. A rank without cells of its
! own skips the entry of the mean when it makes its table, so that its later entries
! have the operations of others. In the twin it puts a zero there.
module diagnostics
  use mpi
  implicit none
  integer, parameter :: most = 4

  type :: entry
    character(len=8) :: name = ''
    double precision :: value = 0
    integer :: operation = MPI_OP_NULL
  end type entry

  type :: table
    type(entry) :: row(most)
    integer :: used = 0
  end type table

contains

  subroutine add(t, name, value, operation)
    type(table), intent(inout) :: t
    character(len=*), intent(in) :: name
    double precision, intent(in) :: value
    integer, intent(in) :: operation
    t%used = t%used + 1
    t%row(t%used)%name = name
    t%row(t%used)%value = value
    t%row(t%used)%operation = operation
  end subroutine add

  subroutine make(t, cell, skips)
    type(table), intent(inout) :: t
    double precision, intent(in) :: cell(:)
    logical, intent(in) :: skips
    t%used = 0
    if (.not. (skips .and. size(cell) == 0)) call add(t, 'mean', sum(cell), MPI_SUM)
    call add(t, 'highest', maxval(cell), MPI_MAX)
    call add(t, 'lowest', minval(cell), MPI_MIN)
    if (t%used < 3) call add(t, 'none', 0.0d0, MPI_SUM)
  end subroutine make

  subroutine reduce(t)
    type(table), intent(inout) :: t
    double precision :: all
    integer :: i, ierr
    do i = 1, t%used
      all = 0
      associate (row => t%row(i))
        call MPI_Reduce(row%value, all, 1, MPI_DOUBLE_PRECISION, row%operation, 0, MPI_COMM_WORLD, ierr) ! ERROR
      end associate
      t%row(i)%value = all
    end do
  end subroutine reduce

  subroutine relax(cell)
    double precision, intent(inout) :: cell(:)
    integer :: i
    do i = 2, size(cell)
      cell(i) = 0.5d0 * (cell(i) + cell(i - 1))
    end do
  end subroutine relax

end module diagnostics

program mpi_collective_diagnostics
  use mpi
  use diagnostics
  implicit none
  character(len=8) :: mode
  logical :: faulty
  integer :: rank, ierr, step, i
  double precision, allocatable :: cell(:)
  type(table) :: t
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate (cell(4 * modulo(rank + 1, 3)))
  cell = [(1.0d0 * i, i = 1, size(cell))]
  do step = 1, 2
    call relax(cell)
    call make(t, cell, faulty)
    call reduce(t)
  end do
  deallocate (cell)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program mpi_collective_diagnostics
