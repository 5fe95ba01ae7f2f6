! usage: class=type_mismatch ranks=2
! Reals are received as integers.
      program main
      implicit none
      include 'mpif.h'
      integer rank, ierr
      character*8 mode
      logical faulty
      real x(10)
      integer kind
      call get_command_argument(1, mode)
      faulty = mode == 'faulty'
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      x = 1.0
      kind = MPI_REAL
      if (faulty) kind = MPI_INTEGER
      if (rank .eq. 0) then
        call MPI_Send(x, 10, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr) ! ERROR
      else
        call MPI_Recv(x, 10, kind, 0, 0, MPI_COMM_WORLD, ! ERROR
     &    MPI_STATUS_IGNORE, ierr) ! ERROR
      end if
      call MPI_Finalize(ierr)
      end
