! Calls functions with known arguments and writes to says.RANK what a recording of
! usage has to say of each call; see usagecalls.c.
module adding
  use mpi
  implicit none
contains
  subroutine adds(in, inout, len, kind)
    integer :: len, kind, in(len), inout(len)
    if (kind /= 0) inout = in + inout
  end subroutine
end module

program usagecalls
  use adding
  implicit none
  integer :: r, n, next, prev, i, idx, cnt, code, level, ierr
  integer :: a(20), b(20), idxs(2), counts(64), places(64)
  logical :: flag
  integer :: st(MPI_STATUS_SIZE)
  integer :: q(2)
  integer :: t, v
  integer :: c
  integer :: o
  character(len=16) :: name
  call MPI_Init_thread(MPI_THREAD_SINGLE, level, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  write (name, '(a,i0)') 'says.', r
  open (10, file=name)
  write (10, '(a,i0,a,i0)') 'MPI_Init_thread(required=', MPI_THREAD_SINGLE, ') -> provided=', level
  write (10, '(a,i0)') 'MPI_Comm_rank(comm=world) -> rank=', r
  write (10, '(a,i0)') 'MPI_Comm_size(comm=world) -> size=', n
  next = mod(r + 1, n)
  prev = mod(r + n - 1, n)
  a = r

  call MPI_Irecv(b, 20, MPI_INTEGER, prev, MPI_ANY_TAG, MPI_COMM_WORLD, q(1), ierr)
  write (10, '(a,i0,a)') 'MPI_Irecv(buf=#, count=20, datatype=MPI_INTEGER, source=', prev, ', tag=any, comm=world) -> request=request'
  call MPI_Isend(a, 5, MPI_INTEGER, next, 7, MPI_COMM_WORLD, q(2), ierr)
  write (10, '(a,i0,a)') 'MPI_Isend(buf=#, count=5, datatype=MPI_INTEGER, dest=', next, ', tag=7, comm=world) -> request=request'
  call MPI_Wait(q(1), MPI_STATUS_IGNORE, ierr)
  write (10, '(a,i0,a)') 'MPI_Wait(request=request) -> request=null, status=(', prev, ',7,20)'
  call MPI_Waitany(2, q, idx, MPI_STATUS_IGNORE, ierr)
  write (10, '(a)') 'MPI_Waitany(count=2, array_of_requests=[null,request]) -> array_of_requests=[null,null], indx=1, status=*'
  call MPI_Isend(a, 4, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 7, MPI_COMM_WORLD, q(1), ierr)
  write (10, '(a)') 'MPI_Isend(buf=#, count=4, datatype=MPI_DOUBLE_PRECISION, dest=procnull, tag=7, comm=world) -> request=request'
  call MPI_Waitsome(2, q, cnt, idxs, MPI_STATUSES_IGNORE, ierr)
  write (10, '(a)') 'MPI_Waitsome(incount=2, array_of_requests=[request,null]) -> array_of_requests=[null,null], outcount=1, '// &
    'array_of_indices=[0], array_of_statuses=[*]'
  call MPI_Testany(2, q, idx, flag, st, ierr)
  write (10, '(a)') 'MPI_Testany(count=2, array_of_requests=[null,null]) -> array_of_requests=[null,null], indx=-32766, flag=1, status=*'
  call MPI_Sendrecv(a, 1, MPI_INTEGER, next, 2, b, 3, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, st, ierr)
  write (10, '(a,i0,a,i0,a)') 'MPI_Sendrecv(sendbuf=#, sendcount=1, sendtype=MPI_INTEGER, dest=', next, &
    ', sendtag=2, recvbuf=#, recvcount=3, recvtype=MPI_INTEGER, source=any, recvtag=2, comm=world) -> status=(', prev, ',2,4)'

  call MPI_Allreduce(MPI_IN_PLACE, a, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  write (10, '(a)') 'MPI_Allreduce(sendbuf=inplace, recvbuf=#, count=2, datatype=MPI_INTEGER, op=MPI_SUM, comm=world) -> ()'
  counts = 1
  do i = 1, n
    places(i) = i - 1
  end do
  call MPI_Gatherv(a, 1, MPI_INTEGER, b, counts, places, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
  write (10, '(a)', advance='no') 'MPI_Gatherv(sendbuf=#, sendcount=1, sendtype=MPI_INTEGER, recvbuf=#, '
  if (r == 1) write (10, '(a)', advance='no') 'recvcounts=[1,1,1], displs=[0,1,2], '
  write (10, '(a)') 'recvtype=MPI_INTEGER, root=1, comm=world) -> ()'

  call MPI_Type_vector(3, 1, 2, MPI_REAL, v, ierr)
  write (10, '(a)') 'MPI_Type_vector(count=3, blocklength=1, stride=2, oldtype=MPI_REAL) -> newtype=type{MPI_COMBINER_VECTOR [3 1 2] [] MPI_REAL}'
  call MPI_Type_create_hvector(2, 1, 64_MPI_ADDRESS_KIND, v, t, ierr)
  write (10, '(a)') 'MPI_Type_create_hvector(count=2, blocklength=1, stride=64, oldtype=type{MPI_COMBINER_VECTOR [3 1 2] [] MPI_REAL}) -> '// &
    'newtype=type{MPI_COMBINER_HVECTOR [2 1] [64] type{MPI_COMBINER_VECTOR [3 1 2] [] MPI_REAL}}'
  call MPI_Type_commit(t, ierr)
  write (10, '(a)') 'MPI_Type_commit(datatype=type{*}) -> datatype=type{MPI_COMBINER_HVECTOR [2 1] [64] type{*}}'
  call MPI_Bcast(MPI_BOTTOM, 0, t, 0, MPI_COMM_WORLD, ierr)
  write (10, '(a)') 'MPI_Bcast(buffer=bottom, count=0, datatype=type{MPI_COMBINER_HVECTOR [2 1] [64] type{*}}, root=0, comm=world) -> ()'
  call MPI_Type_free(t, ierr)
  write (10, '(a)') 'MPI_Type_free(datatype=type{MPI_COMBINER_HVECTOR *}) -> datatype=null'
  call MPI_Type_free(v, ierr)
  write (10, '(a)') 'MPI_Type_free(datatype=type{MPI_COMBINER_VECTOR *}) -> datatype=null'

  call MPI_Cart_create(MPI_COMM_WORLD, 1, [n], [.true.], .false., c, ierr)
  write (10, '(a,i0,a)') 'MPI_Cart_create(comm_old=world, ndims=1, dims=[', n, '], periods=[1], reorder=0) -> comm_cart=comm'
  call MPI_Comm_free(c, ierr)
  write (10, '(a)') 'MPI_Comm_free(comm=comm) -> comm=null'
  call MPI_Op_create(adds, .true., o, ierr)
  write (10, '(a)') 'MPI_Op_create(commute=1) -> op=op'
  call MPI_Op_free(o, ierr)
  write (10, '(a)') 'MPI_Op_free(op=op) -> op=null'
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  write (10, '(a)') 'MPI_Comm_set_errhandler(comm=world, errhandler=MPI_ERRORS_RETURN) -> ()'
  call MPI_Send(a, -1, MPI_INTEGER, next, 7, MPI_COMM_WORLD, code)
  write (10, '(a,i0,a,i0)') 'MPI_Send(buf=#, count=-1, datatype=MPI_INTEGER, dest=', next, ', tag=7, comm=world) -> error ', code
  write (10, '(a)') 'MPI_Finalize() -> ()'
  close (10)
  call MPI_Finalize(ierr)
end program
