! Jacobi iteration in a module with "use mpi": halo exchange and a norm. With
! "hang" rank 5 iterates on its own for ever, because its tolerance is never met.
module smoother
  implicit none
contains
  subroutine smooth(u, tolerance)
    double precision, intent(inout) :: u(0:)
    double precision, intent(in) :: tolerance
    double precision :: change, next
    integer :: i
    change = 2 * abs(tolerance) + 1
    do while (change > tolerance) ! LAGGARD: loop begin
      change = 0
      do i = 1, ubound(u, 1) - 1
        next = 0.5d0 * (u(i - 1) + u(i + 1))
        change = max(change, abs(next - u(i)))
        u(i) = next
      end do
    end do ! LAGGARD: loop end
  end subroutine smooth
end module smoother

program jacobi
  use mpi
  use smoother
  implicit none
  integer, parameter :: n = 20, victim = 5
  double precision :: u(0:n + 1), norm, mine, tolerance
  integer :: ierr, rank, nprocs, step, left, right
  integer :: request(4)
  character(len=8) :: mode
  call get_command_argument(1, mode)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr)
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < nprocs - 1)
  u = rank
  do step = 1, 6
    call MPI_Irecv(u(0), 1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, request(1), ierr)
    call MPI_Irecv(u(n + 1), 1, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, request(2), ierr)
    call MPI_Isend(u(1), 1, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, request(3), ierr)
    call MPI_Isend(u(n), 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, request(4), ierr)
    call MPI_Waitall(4, request, MPI_STATUSES_IGNORE, ierr)
    tolerance = 1d-3
    if (mode == 'hang' .and. rank == victim .and. step == 4) tolerance = -1 ! LAGGARD: cause
    call smooth(u, tolerance)
    mine = sum(u(1:n))
    call MPI_Allreduce(mine, norm, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end do
  if (rank == 0) print '(a, f12.6)', 'norm', norm
  call MPI_Finalize(ierr)
end program jacobi
