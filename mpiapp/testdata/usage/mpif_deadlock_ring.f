! usage: class=deadlock ranks=4 hangs
! A ring in which everybody receives first; the twin lets rank 0 send first.
      program main
      implicit none
      include 'mpif.h'
      integer rank, size, ierr
      character*8 mode
      logical faulty
      integer left, right, mine, theirs, st(MPI_STATUS_SIZE)
      call get_command_argument(1, mode)
      faulty = mode == 'faulty'
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
      left = mod(rank + size - 1, size)
      right = mod(rank + 1, size)
      mine = rank
      if (.not. faulty .and. rank .eq. 0) then
        call MPI_Send(mine, 1, MPI_INTEGER, right, 0,
     &    MPI_COMM_WORLD, ierr)
      end if
      call MPI_Recv(theirs, 1, MPI_INTEGER, left, 0, ! ERROR
     &    MPI_COMM_WORLD, st, ierr) ! ERROR
      if (faulty .or. rank .gt. 0) then
        call MPI_Send(mine, 1, MPI_INTEGER, right, 0,
     &    MPI_COMM_WORLD, ierr)
      end if
      call MPI_Finalize(ierr)
      end
