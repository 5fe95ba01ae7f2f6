! np: 4
! says: Rank 2 is least progressed, of 4 ranks (confidence 0.90
! says: because: rank 2 called MPI_Sendrecv instead of MPI_Allreduce, collective 10 on MPI_COMM_WORLD, which ranks 0-1,3 called
! says: decided at flat::balance (tideflat.f90:36)
! not: either may be wrong
! not: took before
! Cells of a tidal flat fall dry. The rank that has none left that are wet returns from the balance before the sum in which all take part,
! and waits in the exchange of the next step.
module flat
  use mpi
  implicit none
  integer, parameter :: n = 40
  real(8) :: depth(0:n+1), bed(n)
  integer :: rank, size, left, right
contains
  subroutine flood(step)
    integer, intent(in) :: step
    integer :: i
    do i = 1, n
      depth(i) = max(0.0d0, 2.0d0 - bed(i) - 0.05d0*step)
    end do
  end subroutine flood

  subroutine exchange()
    integer :: ierr
    call MPI_Sendrecv(depth(n), 1, MPI_DOUBLE_PRECISION, right, 1, depth(0), 1, MPI_DOUBLE_PRECISION, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(depth(1), 1, MPI_DOUBLE_PRECISION, left, 2, depth(n+1), 1, MPI_DOUBLE_PRECISION, right, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine exchange

  subroutine balance(total)
    real(8), intent(out) :: total
    real(8) :: own
    integer :: ierr
    if (all(depth(1:n) <= 0.0d0)) return
    own = sum(depth(1:n))
    call MPI_Allreduce(own, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end subroutine balance
end module flat

program tideflat
  use flat
  implicit none
  integer :: ierr, step
  real(8) :: total = 0
  character(len=4) :: fault
  call get_command_argument(1, fault)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  bed = merge(1.5d0, 0.2d0, rank == 2 .and. fault == 'hang')
  do step = 1, 20
    call flood(step)
    call exchange()
    call balance(total)
  end do
  if (rank == 0) print *, 'water', total
  call MPI_Finalize(ierr)
end program tideflat
