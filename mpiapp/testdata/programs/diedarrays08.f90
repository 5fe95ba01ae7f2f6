! Arrays that are shorter than what a call puts there: diedarrays08 MODE [right]. With "right" the program is correct. Rank 2 is the one
! that dies.
module fields
  implicit none
  integer, parameter :: victim = 2, many = 4000000, few = 100
  double precision :: halo(few)
end module

program diedarrays08
  use mpi_f08
  use fields
  implicit none
  integer :: rank, ierr
  logical :: right
  character(len=16) :: mode, word
  double precision, allocatable :: all(:)
  call get_command_argument(1, mode)
  call get_command_argument(2, word)
  right = word == 'right'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate (all(many))
  all = rank
  if (mode == 'module') call fill(merge(few, many, right))
  if (mode == 'local') call total(merge(few, many, right))
  if (mode == 'allocated') call collect(merge(many, many/100, right))
  if (mode == 'offsets') call gather(merge(1, 500000000, right))
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine fill(n)
    integer, intent(in) :: n
    if (rank == 0) call MPI_Send(all, n, MPI_DOUBLE_PRECISION, victim, 1, MPI_COMM_WORLD, ierr)
    if (rank == victim) call MPI_Recv(halo, n, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine

  recursive subroutine total(n)
    integer, intent(in) :: n
    double precision :: sums(few)
    call MPI_Reduce(all, sums, n, MPI_DOUBLE_PRECISION, MPI_SUM, victim, MPI_COMM_WORLD, ierr)
    if (rank == victim .and. sums(1) < 0) print *, sums(1)
  end subroutine

  subroutine collect(n)
    integer, intent(in) :: n
    double precision, allocatable :: part(:)
    allocate (part(n))
    part = 1
    if (rank == victim) call MPI_Send(part, merge(n, 100*many, right), MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, ierr)
    if (rank == 0) call MPI_Recv(all, many, MPI_DOUBLE_PRECISION, victim, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine

  subroutine gather(step)
    integer, intent(in) :: step
    integer :: counts(4), displs(4), i
    counts = 1
    displs = [(0, i=1, 4)]
    do i = 2, 4
      displs(i) = displs(i - 1) + step
    end do
    displs(4) = displs(4) + merge(0, 2000000000, right)
    if (rank == victim) deallocate (all)
    if (rank == victim) allocate (all(4))
    call MPI_Gatherv(halo, 1, MPI_DOUBLE_PRECISION, all, counts, displs, MPI_DOUBLE_PRECISION, victim, MPI_COMM_WORLD, ierr)
  end subroutine
end program
