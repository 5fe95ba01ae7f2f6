! np: 4
! odd: 1
! kind: loop_count
! call: MPI_Allreduce 26
! branch: 16
! One rank sees its own residual and goes round the loop once more.
program iterations
  use mpi
  implicit none
  integer :: rank, ierr, cycle, step, limit
  character(len=8) :: mode
  call get_command_argument(1, mode)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  do cycle = 1, 6
    do step = 1, steps(cycle)
      call reduce(dble(step))
    end do
    call MPI_Bcast(limit, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  end do
  call MPI_Finalize(ierr)
contains
  subroutine reduce(x)
    double precision, intent(in) :: x
    double precision :: y
    call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end subroutine reduce
  integer function steps(cycle)
    integer, intent(in) :: cycle
    steps = 7
    if (mode == 'hang' .and. rank == 1 .and. cycle == 4) steps = 8
  end function steps
end program iterations
