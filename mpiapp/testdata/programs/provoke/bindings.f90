! A correct program in Fortran that completes requests in each way, and uses the constants that Fortran passes by address.
program bindings
  use mpi
  implicit none
  integer, parameter :: n = 5, untouched = 77
  integer :: ierr, rank, nranks, peer, way, r(2), s(MPI_STATUS_SIZE), ss(MPI_STATUS_SIZE, 2), at, k, ats(2), types, lens(1)
  integer :: vec, total, pr(2), win, got, dup
  integer, volatile :: out(n), in(2*n), every(2*n)
  integer(kind=MPI_ADDRESS_KIND) :: where(1), disp, bytes
  integer, target, volatile :: mem(n)
  logical :: flag, wrong
  wrong = .false.
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  peer = ieor(rank, 1)
  out = rank
  do way = 1, 7
    in = untouched
    call MPI_Type_vector(n, 1, 2, MPI_INTEGER, vec, ierr)
    call MPI_Type_commit(vec, ierr)
    call MPI_Irecv(in, 1, vec, peer, way, MPI_COMM_WORLD, r(1), ierr)
    call MPI_Type_free(vec, ierr)
    call MPI_Isend(out, n, MPI_INTEGER, peer, way, MPI_COMM_WORLD, r(2), ierr)
    select case (way)
    case (1)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
      call MPI_Wait(r(2), s, ierr)
    case (2)
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    case (3)
      do k = 1, 2
        call MPI_Waitany(2, r, at, s, ierr)
      end do
    case (4)
      k = 0
      do while (k < 2)
        call MPI_Waitsome(2, r, at, ats, ss, ierr)
        k = k + at
      end do
    case (5)
      flag = .false.
      do while (.not. flag)
        call MPI_Testall(2, r, flag, ss, ierr)
      end do
    case (6)
      k = 0
      do while (k < 2)
        call MPI_Testany(2, r, at, flag, MPI_STATUS_IGNORE, ierr)
        if (flag) k = k + 1
      end do
      call MPI_Testany(2, r, at, flag, MPI_STATUS_IGNORE, ierr)
      if (.not. flag) wrong = .true.
    case (7)
      k = 0
      do while (k < 2)
        call MPI_Testsome(2, r, at, ats, MPI_STATUSES_IGNORE, ierr)
        if (at > 0) k = k + at
      end do
    end select
    if (any(r /= MPI_REQUEST_NULL)) wrong = .true.
    if (any(in(1:2*n:2) /= peer) .or. any(in(2:2*n:2) /= untouched)) wrong = .true.
    if (wrong) print *, rank, 'wrong in way', way
  end do
  ! nobody, and persistent
  call MPI_Irecv(in, n, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, r(1), ierr)
  call MPI_Irecv(every, n, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, r(2), ierr)
  call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
  if (in(1) /= peer) wrong = .true.
  call MPI_Wait(r(2), MPI_STATUS_IGNORE, ierr)
  if (wrong) print *, rank, 'wrong with nobody'
  call MPI_Send_init(out, n, MPI_INTEGER, peer, 20, MPI_COMM_WORLD, pr(1), ierr)
  call MPI_Recv_init(in, n, MPI_INTEGER, peer, 20, MPI_COMM_WORLD, pr(2), ierr)
  do k = 1, 3
    in = untouched
    out = 10 * k + rank
    call MPI_Startall(2, pr, ierr)
    call MPI_Waitall(2, pr, MPI_STATUSES_IGNORE, ierr)
    if (any(in(1:n) /= 10 * k + peer)) wrong = .true.
  end do
  call MPI_Request_free(pr(1), ierr)
  call MPI_Request_free(pr(2), ierr)
  if (wrong) print *, rank, 'wrong with persistent'
  ! MPI_BOTTOM
  call MPI_Get_address(mem, where(1), ierr)
  lens(1) = n
  call MPI_Type_create_hindexed(1, lens, where, MPI_INTEGER, types, ierr)
  call MPI_Type_commit(types, ierr)
  call MPI_Irecv(MPI_BOTTOM, 1, types, peer, 21, MPI_COMM_WORLD, r(1), ierr)
  call MPI_Send(out, n, MPI_INTEGER, peer, 21, MPI_COMM_WORLD, ierr)
  call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
  if (any(mem /= 30 + peer)) wrong = .true.
  call MPI_Type_free(types, ierr)
  if (wrong) print *, rank, 'wrong at the bottom'
  ! in place, sendrecv with wildcards, probes
  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (total /= nranks * (nranks - 1) / 2) wrong = .true.
  if (rank == 0) then
    call MPI_Reduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Reduce(total, got, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Sendrecv(out, n, MPI_INTEGER, peer, 22, in, n, MPI_INTEGER, MPI_ANY_SOURCE, 22, MPI_COMM_WORLD, s, ierr)
  if (s(MPI_SOURCE) /= peer .or. in(1) /= 30 + peer) wrong = .true.
  call MPI_Sendrecv(out, n, MPI_INTEGER, peer, 22, in, n, MPI_INTEGER, peer, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Isend(out, n, MPI_INTEGER, peer, 23, MPI_COMM_WORLD, r(1), ierr)
  flag = .false.
  do while (.not. flag)
    call MPI_Iprobe(MPI_ANY_SOURCE, 23, MPI_COMM_WORLD, flag, s, ierr)
  end do
  call MPI_Recv(in, n, MPI_INTEGER, s(MPI_SOURCE), 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
  if (wrong) print *, rank, 'wrong with Sendrecv or a probe'
  ! a window
  mem = rank
  bytes = n * 4
  call MPI_Win_create(mem, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  disp = 1
  call MPI_Put(out, 2, MPI_INTEGER, peer, disp, 2, MPI_INTEGER, win, ierr)
  disp = 4
  call MPI_Get(in, 1, MPI_INTEGER, peer, disp, 1, MPI_INTEGER, win, ierr)
  disp = 0
  call MPI_Accumulate(out, 1, MPI_INTEGER, peer, disp, 1, MPI_INTEGER, MPI_SUM, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  if (mem(1) /= rank + 30 + peer .or. mem(2) /= 30 + peer .or. mem(4) /= rank .or. in(1) /= peer) wrong = .true.
  if (wrong) print *, rank, 'wrong with a window', mem, in(1)
  call MPI_Win_free(win, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
  call MPI_Irecv(in, n, MPI_INTEGER, peer, 24, dup, r(1), ierr)
  call MPI_Cancel(r(1), ierr)
  call MPI_Wait(r(1), s, ierr)
  call MPI_Test_cancelled(s, flag, ierr)
  if (.not. flag .or. in(1) /= peer) wrong = .true.
  call MPI_Comm_free(dup, ierr)
  if (wrong) print *, rank, 'wrong with a window, or a cancelled receive'
  call MPI_Finalize(ierr)
  if (wrong) stop 1
end program
