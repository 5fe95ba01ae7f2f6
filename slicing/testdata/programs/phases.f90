! report: rank=2 size=4 stop=MPI_Recv:1
! An array of phases says which rank to wait for; one element is wrong.
module schedule
  implicit none
  integer, parameter :: maxphase = 8
  integer :: partner(maxphase)
contains
  subroutine plan(rank, nprocs, nphase)
    integer, intent(in) :: rank, nprocs
    integer, intent(out) :: nphase
    integer :: k
    nphase = nprocs - 1 ! slice
    do k = 1, nphase ! slice
      partner(k) = mod(rank - k, nprocs) ! root
    end do
  end subroutine plan
end module schedule

program phases
  use schedule
  implicit none
  include 'mpif.h'
  integer :: rank, nprocs, ierr, k, nphase
  integer :: status(MPI_STATUS_SIZE)
  double precision :: block(16), total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  call plan(rank, nprocs, nphase) ! slice
  block = rank
  total = 0
  do k = 1, nphase ! slice
    total = total + sum(block)
    call MPI_Recv(block, 16, MPI_DOUBLE_PRECISION, partner(k), k, MPI_COMM_WORLD, status, ierr) ! stop
  end do
  print *, total
  call MPI_Finalize(ierr)
end program phases
