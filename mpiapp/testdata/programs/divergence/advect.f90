! np: 4
! odd: 1
! kind: skipped
! call: MPI_Allreduce 20
! branch: 19
! why: a rank goes on to the next species where it has no cells; the loops around that are the same on all ranks

module transport
  use mpi
  implicit none
  integer, parameter :: ns = 4
  integer :: cells(ns)
contains
  subroutine advect(comm, step, nmax)
    integer, intent(in) :: comm, step, nmax
    integer :: s, all, ierr
    do s = 1, ns
      if (s > nmax) exit
      if (cells(s) < 1) cycle
      call MPI_Allreduce(cells(s), all, 1, MPI_INTEGER, MPI_MAX, comm, ierr)
      if (ierr /= MPI_SUCCESS) return
    end do
  end subroutine
end module
program main
  use transport
  implicit none
  integer :: rank, ierr, step, nmax
  character(8) :: mode

  call get_command_argument(1, mode)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  cells = 10 + rank
  nmax = 3
  call MPI_Bcast(nmax, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  do step = 1, 60
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (rank == 1 .and. mode == "hang") cells(2) = cells(2) - 1
    if (mod(step, 2) == 0) call advect(MPI_COMM_WORLD, step, nmax)
    call MPI_Bcast(nmax, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  end do
  call MPI_Finalize(ierr)
end program
