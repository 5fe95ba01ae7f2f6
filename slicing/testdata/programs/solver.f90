! report: rank=1 size=2 stop=MPI_Bcast:2
! A convergence test with the wrong sign keeps one rank iterating.
subroutine relax(u, n, change)
  implicit none
  integer, intent(in) :: n
  double precision, intent(inout) :: u(n)
  double precision, intent(out) :: change
  integer :: i
  double precision :: old
  change = 0d0 ! slice
  do i = 2, n - 1 ! slice
    old = u(i) ! slice
    u(i) = 0.5d0 * (u(i-1) + u(i+1)) ! slice
    change = change + old - u(i) ! root
  end do
end subroutine relax

program solver
  implicit none
  include 'mpif.h'
  integer :: rank, ierr, it
  double precision :: u(50), change, shared
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  u = 0 ! slice
  u(1) = 1 + rank ! slice
  change = 1 ! slice
  it = 0
  shared = 0
  do while (change > -1d3) ! slice
    call relax(u, 50, change) ! slice
    it = it + 1
    call MPI_Bcast(shared, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr) ! stop
  end do
  print *, it, shared
  call MPI_Finalize(ierr)
end program solver
