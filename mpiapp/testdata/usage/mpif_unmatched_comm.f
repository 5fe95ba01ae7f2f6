! usage: class=unmatched_message ranks=2
! Messages on two communicators; the one on the duplicate is not received.
      program main
      implicit none
      include 'mpif.h'
      integer rank, ierr
      character*8 mode
      logical faulty
      integer comm, a, b
      call get_command_argument(1, mode)
      faulty = mode == 'faulty'
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      a = rank
      call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
      if (rank .eq. 0) then
        call MPI_Send(a, 1, MPI_INTEGER, 1, 0, comm, ierr) ! ERROR
        call MPI_Send(a, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
      else
        if (.not. faulty) call MPI_Recv(b, 1, MPI_INTEGER, 0, 0,
     &    comm, MPI_STATUS_IGNORE, ierr)
        call MPI_Recv(b, 1, MPI_INTEGER, 0, 0,
     &    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      end if
      call MPI_Comm_free(comm, ierr)
      call MPI_Finalize(ierr)
      end
