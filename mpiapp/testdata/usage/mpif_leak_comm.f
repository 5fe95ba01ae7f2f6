! usage: class=leak ranks=2
! A duplicate of the world stays.
      program main
      implicit none
      include 'mpif.h'
      integer ierr
      character*8 mode
      logical faulty
      integer comm, word
      call get_command_argument(1, mode)
      faulty = mode == 'faulty'
      call MPI_Init(ierr)
      word = 1
      call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr) ! ERROR
      call MPI_Bcast(word, 1, MPI_INTEGER, 0, comm, ierr)
      if (.not. faulty) call MPI_Comm_free(comm, ierr)
      call MPI_Finalize(ierr)
      end
