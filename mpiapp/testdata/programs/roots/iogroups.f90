! np: 6
! named: 0,3
! most: 0.99
! says: rank 0 called MPI_Allgather
! Two groups of ranks write what they have by one rank each, which agree on the lengths first. With hang, the one whose group has nothing left
! goes on before that.
module output
  use mpi
  implicit none
  integer :: rank, group, writers
contains
  subroutine connect()
    integer :: error, color
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, group, error)
    color = MPI_UNDEFINED
    if (mod(rank, 3) == 0) color = 1
    call MPI_Comm_split(MPI_COMM_WORLD, color, rank, writers, error)
  end subroutine

  subroutine agree(length, hang)
    integer, intent(in) :: length
    logical, intent(in) :: hang
    integer :: lengths(2), error
    if (length == 0 .and. hang) return
    call MPI_Allgather(length, 1, MPI_INTEGER, lengths, 1, MPI_INTEGER, writers, error) ! LAGGARD: here
  end subroutine

  subroutine write_all(own, hang)
    integer, intent(in) :: own
    logical, intent(in) :: hang
    integer :: length, done, error
    call MPI_Reduce(own, length, 1, MPI_INTEGER, MPI_SUM, 0, group, error)
    if (mod(rank, 3) == 0) call agree(length, hang)
    done = length
    call MPI_Bcast(done, 1, MPI_INTEGER, 0, group, error)
  end subroutine
end module

program iogroups
  use output
  implicit none
  integer :: error, step, own
  real(8) :: change, worst
  logical :: hang
  character(8) :: word
  call MPI_Init(error)
  call get_command_argument(1, word)
  hang = word == 'hang'
  call connect()
  do step = 1, 40
    change = 1d0 / step
    call MPI_Allreduce(change, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error) ! LAGGARD: here
    own = 7
    if (rank >= 3 .and. step > 30) own = 0
    if (mod(step, 5) == 0) call write_all(own, hang)
  end do
  call MPI_Finalize(error)
end program
