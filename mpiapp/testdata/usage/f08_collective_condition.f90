! usage: class=collective_mismatch ranks=3 may-hang
! A solver that checks its conservation every second step. A rank whose residual is
! small takes the sum for the residual before the check; the others check first. In
! the twin all check first.
module conserved
  use mpi_f08
  implicit none
  integer, parameter :: n = 8

  type :: state
    real(8) :: u(n) = 0, residual = 0, mass = 0
    integer :: rank = 0, root = 0
  end type state

contains

  subroutine advance(s)
    type(state), intent(inout) :: s
    real(8) :: old(n)
    old = s%u
    s%u(2:n - 1) = 0.5d0 * old(2:n - 1) + 0.25d0 * (old(1:n - 2) + old(3:n))
    s%residual = maxval(abs(s%u - old))
  end subroutine advance

  subroutine gather_residual(s)
    type(state), intent(inout) :: s
    real(8) :: all
    call MPI_Allreduce(s%residual, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD) ! ERROR
    s%residual = all
  end subroutine gather_residual

  subroutine check_mass(s)
    type(state), intent(inout) :: s
    real(8) :: mine(1), all(1)
    mine = sum(s%u)
    all = 0
    call MPI_Reduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, s%root, MPI_COMM_WORLD) ! ERROR
    s%mass = all(1)
  end subroutine check_mass

  subroutine watch(s, early)
    type(state), intent(inout) :: s
    logical, intent(in) :: early
    if (early) then
      call gather_residual(s)
      call check_mass(s)
    else
      call check_mass(s)
      call gather_residual(s)
    end if
  end subroutine watch

end module conserved

program f08_collective_condition
  use mpi_f08
  use conserved
  implicit none
  character(len=8) :: mode
  logical :: faulty
  type(state) :: s
  integer :: step, i
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, s%rank)
  do i = 1, n
    s%u(i) = merge(1.0d0, real(i * i, 8), s%rank == 2)
  end do
  do step = 1, 4
    call advance(s)
    if (modulo(step, 2) == 0) then
      call watch(s, faulty .and. s%residual < 1.0d-9)
    else
      call gather_residual(s)
    end if
    if (s%residual < 1.0d-12) exit
  end do
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
end program f08_collective_condition
