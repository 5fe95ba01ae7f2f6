! np: 4
! says: rank 1 never made that call
! says: such messages with MPI_Isend in halo::exchange (smooth.f90:@1)
! says: and is in MPI_Allreduce in main (smooth.f90:@3)
! says: decided at smooth_level (smooth.f90:@2)
! Halos are exchanged in each pass of a smoothing, which a rank leaves as soon as its own part is smooth.
module halo
  use mpi
  implicit none
  integer :: me, np
contains
  subroutine exchange(f, n, tag)
    integer, intent(in) :: n, tag
    double precision, intent(inout) :: f(0:n+1)
    integer :: ierr, r(4), lo, hi
    lo = merge(MPI_PROC_NULL, me - 1, me == 0)
    hi = merge(MPI_PROC_NULL, me + 1, me == np - 1)
    call mpi_irecv(f(0), 1, MPI_DOUBLE_PRECISION, lo, tag, MPI_COMM_WORLD, r(1), ierr)
    call mpi_irecv(f(n+1), 1, MPI_DOUBLE_PRECISION, hi, tag, MPI_COMM_WORLD, r(2), ierr)
    call mpi_isend(f(1), 1, MPI_DOUBLE_PRECISION, lo, tag, MPI_COMM_WORLD, r(3), ierr)
    call mpi_isend(f(n), 1, MPI_DOUBLE_PRECISION, hi, tag, MPI_COMM_WORLD, r(4), ierr) ! LAGGARD: 1
    call mpi_waitall(4, r, MPI_STATUSES_IGNORE, ierr)
  end subroutine
end module

program smooth
  use mpi
  use halo
  implicit none
  integer, parameter :: n = 200
  double precision :: ter(0:n+1), hx(0:n+1), least, all
  integer :: ierr, k, pass, steep
  character(len=8) :: mode
  call get_command_argument(1, mode)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, np, ierr)
  steep = merge(2, 0, mode == 'hang')
  do k = 1, n
    ter(k) = 100d0 + merge(900d0 * mod(k, 7), 0d0, me >= steep)
  end do
  do k = 1, 6
    hx = ter * k
    call smooth_level(hx, k)
  end do
  least = minval(hx(1:n))
  call mpi_allreduce(least, all, 1, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, ierr) ! LAGGARD: 3
  call mpi_finalize(ierr)
contains
  subroutine smooth_level(h, level)
    double precision, intent(inout) :: h(0:n+1)
    integer, intent(in) :: level
    double precision :: tmp(n)
    do pass = 1, 5
      if (maxval(abs(h(2:n) - h(1:n-1))) < 50d0) exit ! LAGGARD: 2
      call exchange(h, n, level)
      tmp = h(1:n) + 0.25d0 * (h(0:n-1) - 2 * h(1:n) + h(2:n+1))
      h(1:n) = tmp
    end do
  end subroutine
end program
