C     A pipeline in fixed-form Fortran with mpif.h: each rank takes the
C     value of its left neighbour, brings it down to a small one, and
C     hands it on. With "hang" rank 2 never gets it small enough.
      program chain
      implicit none
      include 'mpif.h'
      integer ierr, rank, nprocs, step, value, least
      character*8 mode
      mode = 'ok'
      if (iargc() .ge. 1) call getarg(1, mode)
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr)
      value = 1000
      do 10 step = 1, 6
         least = 40
         if (mode .eq. 'hang' .and. rank .eq. 2 .and. step .eq. 4) ! LAGGARD: cause
     &        least = 0 ! LAGGARD: cause
         call passon(value, rank, nprocs, step, least)
         call MPI_Bcast(value, 1, MPI_INTEGER, nprocs - 1,
     &        MPI_COMM_WORLD, ierr)
 10   continue
      if (rank .eq. 0) write (*, '(a, i6)') ' value', value
      call MPI_Finalize(ierr)
      end

      subroutine passon(value, rank, nprocs, step, least)
      implicit none
      include 'mpif.h'
      integer value, rank, nprocs, step, least, ierr
      integer status(MPI_STATUS_SIZE)
      if (rank .gt. 0) then
         call MPI_Recv(value, 1, MPI_INTEGER, rank - 1, step,
     &        MPI_COMM_WORLD, status, ierr)
      end if
      value = value + rank * step
C     LAGGARD: loop begin
 20   if (value .gt. least) then
         value = max(value / 2, 1)
         goto 20
      end if
C     LAGGARD: loop end
      if (rank .lt. nprocs - 1) then
         call MPI_Send(value, 1, MPI_INTEGER, rank + 1, step,
     &        MPI_COMM_WORLD, ierr)
      end if
      end
