! Makes many kinds of MPI calls through "use mpi", counts each as it makes
! it, and each rank writes its counts to a file "counts.RANK".
module counted
  implicit none
  integer :: counts(64) = 0
  character(len=32) :: names(64) = ' '
contains
  subroutine tally(name)
    character(len=*), intent(in) :: name
    integer :: i
    i = 1
    do while (names(i) /= ' ' .and. names(i) /= name)
      i = i + 1
    end do
    names(i) = name
    counts(i) = counts(i) + 1
  end subroutine tally

  subroutine report(rank)
    integer, intent(in) :: rank
    character(len=32) :: name
    integer :: i
    write (name, '(a, i0)') 'counts.', rank
    open (10, file=name)
    do i = 1, count(names /= ' ')
      write (10, '(a, 1x, i0)') trim(names(i)), counts(i)
    end do
    close (10)
  end subroutine report
end module counted

program countcalls
  use mpi
  use counted
  implicit none
  integer :: rank, nprocs, left, right, i, a, b, bytes, ierr
  integer :: comm
  integer :: pair
  integer :: requests(2)
  logical :: flag
  double precision :: t
  call MPI_Init(ierr)
  call tally('MPI_Init')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call tally('MPI_Comm_rank')
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr)
  call tally('MPI_Comm_size')
  left = mod(rank + nprocs - 1, nprocs)
  right = mod(rank + 1, nprocs)
  do i = 1, 20
    a = i
    call MPI_Irecv(b, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierr)
    call tally('MPI_Irecv')
    call MPI_Isend(a, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2), ierr)
    call tally('MPI_Isend')
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call tally('MPI_Waitall')
    call MPI_Irecv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests(1), ierr)
    call tally('MPI_Irecv')
    call MPI_Send(a, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, ierr)
    call tally('MPI_Send')
    flag = .false.
    do while (.not. flag)
      call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
      call tally('MPI_Test')
    end do
    call MPI_Isend(a, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(1), ierr)
    call tally('MPI_Isend')
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(left, 3, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierr)
      call tally('MPI_Iprobe')
    end do
    call MPI_Recv(b, 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call tally('MPI_Recv')
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call tally('MPI_Wait')
    call MPI_Sendrecv(a, 1, MPI_INTEGER, left, 4, b, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call tally('MPI_Sendrecv')
    call MPI_Allreduce(a, b, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call tally('MPI_Allreduce')
  end do
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call tally('MPI_Comm_dup')
  do i = 1, 9
    call MPI_Bcast(a, 1, MPI_INTEGER, 0, comm, ierr)
    call tally('MPI_Bcast')
    call MPI_Barrier(comm, ierr)
    call tally('MPI_Barrier')
    call MPI_Ibarrier(comm, requests(1), ierr)
    call tally('MPI_Ibarrier')
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call tally('MPI_Wait')
    t = MPI_Wtime()
    call tally('MPI_Wtime')
  end do
  call MPI_Comm_free(comm, ierr)
  call tally('MPI_Comm_free')
  call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierr)
  call tally('MPI_Type_contiguous')
  call MPI_Type_commit(pair, ierr)
  call tally('MPI_Type_commit')
  call MPI_Type_size(pair, bytes, ierr)
  call tally('MPI_Type_size')
  call MPI_Type_free(pair, ierr)
  call tally('MPI_Type_free')
  call MPI_Finalize(ierr)
  call tally('MPI_Finalize')
  call report(rank)
end program countcalls
