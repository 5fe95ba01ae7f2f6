! Sends through the Fortran binding, and prints for each function how many bytes
! are in the send buffers of this rank. Runs on 4 ranks.
program volume
#ifdef F08
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: pair
  type(MPI_Request) :: request
#else
  use mpi
  implicit none
  integer :: pair, request
#endif
  integer :: rank, ranks, err, k
  integer :: whole(4, 0:3), block(4), flat(16)
  double precision :: sums(9)
  integer :: counts(4), displs(4)

  call MPI_Init(err)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, err)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, err)
  block = rank
  whole = rank
  sums = rank
  counts = (/ 1, 2, 3, 4 /)
  displs = (/ 0, 1, 3, 6 /)
  call MPI_Sendrecv(block, 4, MPI_INTEGER, mod(rank + 1, ranks), 0, flat, 4, MPI_INTEGER, &
                    mod(rank + ranks - 1, ranks), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, whole, 4, MPI_INTEGER, MPI_COMM_WORLD, err)
  call MPI_Allgather(block, 2, MPI_INTEGER, flat, 2, MPI_INTEGER, MPI_COMM_WORLD, err)
  call MPI_Allreduce(MPI_IN_PLACE, sums, 9, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
  call MPI_Bcast(sums, 5, MPI_DOUBLE_PRECISION, 3, MPI_COMM_WORLD, err)
  call MPI_Gatherv(block, counts(rank + 1), MPI_INTEGER, flat, counts, displs, MPI_INTEGER, 0, MPI_COMM_WORLD, err)
  if (rank == 1) then
    call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, whole, 4, MPI_INTEGER, 1, MPI_COMM_WORLD, err)
  else
    call MPI_Gather(block, 4, MPI_INTEGER, whole, 4, MPI_INTEGER, 1, MPI_COMM_WORLD, err)
  end if
  call MPI_Type_contiguous(2, MPI_INTEGER, pair, err)
  call MPI_Type_commit(pair, err)
  call MPI_Send_init(block, 2, pair, mod(rank + 1, ranks), 1, MPI_COMM_WORLD, request, err)
  do k = 1, 2
    call MPI_Start(request, err)
    call MPI_Recv(flat, 4, MPI_INTEGER, mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
    call MPI_Wait(request, MPI_STATUS_IGNORE, err)
  end do
  call MPI_Request_free(request, err)
  call MPI_Type_free(pair, err)
  print '(i0,a)', rank, ' MPI_Sendrecv 16'
  print '(i0,a)', rank, ' MPI_Allgather 24'
  print '(i0,a)', rank, ' MPI_Allreduce 72'
  print '(i0,a,i0)', rank, ' MPI_Bcast ', merge(40, 0, rank == 3)
  print '(i0,a,i0)', rank, ' MPI_Gatherv ', 4 * counts(rank + 1)
  print '(i0,a,i0)', rank, ' MPI_Gather ', merge(0, 16, rank == 1)
  print '(i0,a)', rank, ' MPI_Start 32'
  call MPI_Barrier(MPI_COMM_WORLD, err) ! MPICH 4.0 over TCP hangs in MPI_Finalize if ranks come late
  call MPI_Finalize(err)
end program
