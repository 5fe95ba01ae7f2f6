! usage: class=invalid_argument ranks=2
! A negative tag, computed.
      program main
      implicit none
      include 'mpif.h'
      integer rank, ierr
      character*8 mode
      logical faulty
      integer word, tag
      call get_command_argument(1, mode)
      faulty = mode == 'faulty'
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      word = 1
      tag = 0
      if (faulty) tag = -3 - word
      if (rank .eq. 0) then
        call MPI_Send(word, 1, MPI_INTEGER, 1, tag, ! ERROR
     &    MPI_COMM_WORLD, ierr) ! ERROR
      else
        call MPI_Recv(word, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD,
     &    MPI_STATUS_IGNORE, ierr)
      end if
      call MPI_Finalize(ierr)
      end
