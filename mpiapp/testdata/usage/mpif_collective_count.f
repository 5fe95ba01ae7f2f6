! usage: class=collective_mismatch ranks=3 may-hang
! The ranks disagree on how many numbers are summed up.
      program main
      implicit none
      include 'mpif.h'
      integer rank, ierr
      character*8 mode
      logical faulty
      integer n
      double precision a(8), b(8)
      call get_command_argument(1, mode)
      faulty = mode == 'faulty'
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      a = rank
      n = 8
      if (faulty .and. rank .eq. 1) n = 6
      call MPI_Allreduce(a, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, ! ERROR
     &    MPI_COMM_WORLD, ierr) ! ERROR
      call MPI_Finalize(ierr)
      end
