! Columns go around a ring: unfreed [leaks]. With "leaks" neither the sends are completed nor the datatypes freed.
program unfreed
  use mpi
  implicit none
  integer, parameter :: cells = 20000 ! of a column: more than an MPI library sends at once
  double precision :: field(2, cells), halo(2, cells)
  character(8) :: how
  integer :: ierr, rank, size, k, column, send, receive
  call get_command_argument(1, how)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  field = rank
  do k = 1, 6
    call MPI_Type_vector(cells, 1, 2, MPI_DOUBLE_PRECISION, column, ierr) ! LAGGARD: type
    call MPI_Type_commit(column, ierr)
    call MPI_Irecv(halo, 1, column, mod(rank + size - 1, size), 0, MPI_COMM_WORLD, receive, ierr)
    call MPI_Isend(field, 1, column, mod(rank + 1, size), 0, MPI_COMM_WORLD, send, ierr) ! LAGGARD: sent
    call MPI_Wait(receive, MPI_STATUS_IGNORE, ierr)
    if (how /= 'leaks') then
      call MPI_Wait(send, MPI_STATUS_IGNORE, ierr)
      call MPI_Type_free(column, ierr)
    end if
  end do
  call MPI_Finalize(ierr)
end program
