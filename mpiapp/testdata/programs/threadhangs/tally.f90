! np: 2
! named: 0,1
! says: critical
! Two threads exchange halos in a critical region. Thread 0 of both ranks receives within it
! (LAGGARD: here) what thread 1 of the other rank would send; thread 1 waits to enter the region.
program tally
  use mpi
  use omp_lib
  implicit none
  integer, parameter :: steps = 8
  integer :: rank, ierr, provided, step
  real(8) :: left, right
  logical, volatile :: entered = .false.
  character(len=8) :: mode
  call get_command_argument(1, mode)
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  left = rank
  right = 0
  do step = 1, steps
    !$omp parallel num_threads(2) default(shared)
    if (mode == 'hang' .and. step == 5) then
      call exchange_within()
    else
      call exchange()
    end if
    !$omp end parallel
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  if (rank == 0) print '(a, f8.2)', 'right', right
  call MPI_Finalize(ierr)
contains
  subroutine exchange()
    integer :: err
    real(8) :: got
    if (omp_get_thread_num() == 0) then
      call MPI_Recv(got, 1, MPI_REAL8, 1 - rank, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
      !$omp critical (halo)
      right = right + got
      !$omp end critical (halo)
    else
      call MPI_Send(left, 1, MPI_REAL8, 1 - rank, step, MPI_COMM_WORLD, err)
    end if
  end subroutine exchange

  subroutine exchange_within()
    integer :: err
    real(8) :: got
    if (omp_get_thread_num() == 0) then
      !$omp critical (halo)
      entered = .true.
      call MPI_Recv(got, 1, MPI_REAL8, 1 - rank, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE, err) ! LAGGARD: here
      right = right + got
      !$omp end critical (halo)
    else
      do while (.not. entered)
      end do
      !$omp critical (halo) ! LAGGARD: here
      call MPI_Send(left, 1, MPI_REAL8, 1 - rank, step, MPI_COMM_WORLD, err)
      !$omp end critical (halo)
    end if
  end subroutine exchange_within
end program tally
