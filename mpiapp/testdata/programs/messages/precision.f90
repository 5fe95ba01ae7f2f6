! np: 4
! says: rank 1 skipped MPI_Allreduce, collective 1 on MPI_COMM_WORLD
! says: 8 bytes in arithmetic::machine (precision.f90:@2)
! says: decided at arithmetic::machine (precision.f90:@1)
! The precision of the machines is agreed on once; a rank that had asked for its own does not take part, and its next
! reduction meets that of the others.
module arithmetic
  use mpi
  implicit none
  logical, save :: known = .false.
  double precision, save :: eps
contains
  double precision function machine(comm)
    integer, intent(in) :: comm
    double precision :: mine
    integer :: ierr
    if (.not. known) then ! LAGGARD: 1
      mine = epsilon(mine)
      call mpi_allreduce(mine, eps, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierr) ! LAGGARD: 2
      known = .true.
    end if
    machine = eps
  end function
  double precision function norm(x, comm)
    double precision, intent(in) :: x(:)
    integer, intent(in) :: comm
    double precision :: mine
    integer :: ierr
    mine = maxval(abs(x))
    call mpi_allreduce(mine, norm, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierr)
  end function
end module

program precision
  use mpi
  use arithmetic
  implicit none
  integer :: me, np, ierr, iteration
  double precision :: x(50), edge(50), scale, tolerance
  character(len=8) :: mode
  call get_command_argument(1, mode)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, np, ierr)
  x = me + 1
  scale = 1
  if (mode == 'hang' .and. me == 1) scale = 1 + machine(MPI_COMM_SELF)
  x = x * scale
  tolerance = machine(MPI_COMM_WORLD)
  do iteration = 1, 4
    if (norm(x, MPI_COMM_WORLD) < tolerance) exit
    call mpi_sendrecv(x, 50, MPI_DOUBLE_PRECISION, modulo(me + 1, np), 6, edge, 50, MPI_DOUBLE_PRECISION, &
                      modulo(me - 1, np), 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    x = 0.5d0 * (x + edge)
  end do
  call mpi_finalize(ierr)
end program
