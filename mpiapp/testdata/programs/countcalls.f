C     Makes many kinds of MPI calls through mpif.h, counts each as it makes
C     it, and each rank writes its counts to a file "counts.RANK".
      program count
      implicit none
      include 'mpif.h'
      integer ierr, rank, nprocs, left, right, i, comm, ptype, bytes
      integer a, b, requests(2), status(MPI_STATUS_SIZE)
      integer statuses(MPI_STATUS_SIZE, 2)
      logical flag
      double precision t
      call MPI_Init(ierr)
      call tally('MPI_Init', 1)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      call tally('MPI_Comm_rank', 1)
      call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr)
      call tally('MPI_Comm_size', 1)
      left = mod(rank + nprocs - 1, nprocs)
      right = mod(rank + 1, nprocs)
      do 20 i = 1, 25
         a = i
         call MPI_Irecv(b, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD,
     &        requests(1), ierr)
         call tally('MPI_Irecv', 1)
         call MPI_Isend(a, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD,
     &        requests(2), ierr)
         call tally('MPI_Isend', 1)
         call MPI_Waitall(2, requests, statuses, ierr)
         call tally('MPI_Waitall', 1)
         call MPI_Irecv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, 2,
     &        MPI_COMM_WORLD, requests(1), ierr)
         call tally('MPI_Irecv', 1)
         call MPI_Send(a, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD,
     &        ierr)
         call tally('MPI_Send', 1)
 10      call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
         call tally('MPI_Test', 1)
         if (.not. flag) goto 10
         call MPI_Isend(a, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD,
     &        requests(1), ierr)
         call tally('MPI_Isend', 1)
         call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, 3,
     &        MPI_COMM_WORLD, status, ierr)
         call tally('MPI_Recv', 1)
         call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
         call tally('MPI_Wait', 1)
         call MPI_Allreduce(a, b, 1, MPI_INTEGER, MPI_SUM,
     &        MPI_COMM_WORLD, ierr)
         call tally('MPI_Allreduce', 1)
 20   continue
      call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
      call tally('MPI_Comm_dup', 1)
      do 30 i = 1, 7
         call MPI_Bcast(a, 1, MPI_INTEGER, 0, comm, ierr)
         call tally('MPI_Bcast', 1)
         call MPI_Barrier(comm, ierr)
         call tally('MPI_Barrier', 1)
         t = MPI_Wtime()
         call tally('MPI_Wtime', 1)
 30   continue
      call MPI_Comm_free(comm, ierr)
      call tally('MPI_Comm_free', 1)
      call MPI_Type_contiguous(2, MPI_INTEGER, ptype, ierr)
      call tally('MPI_Type_contiguous', 1)
      call MPI_Type_commit(ptype, ierr)
      call tally('MPI_Type_commit', 1)
      call MPI_Type_size(ptype, bytes, ierr)
      call tally('MPI_Type_size', 1)
      call MPI_Type_free(ptype, ierr)
      call tally('MPI_Type_free', 1)
      call MPI_Finalize(ierr)
      call tally('MPI_Finalize', 1)
      call report(rank)
      end

      subroutine tally(name, n)
      implicit none
      character*(*) name
      integer n, i, counts(64)
      character*32 names(64)
      common /counted/ counts, names
      data counts /64*0/, names /64*' '/
      i = 1
 40   if (names(i) .ne. ' ' .and. names(i) .ne. name) then
         i = i + 1
         goto 40
      end if
      names(i) = name
      counts(i) = counts(i) + n
      end

      subroutine report(rank)
      implicit none
      integer rank, i, counts(64)
      character*32 names(64), name
      common /counted/ counts, names
      write (name, '(a, i0)') 'counts.', rank
      open (10, file=name)
      do 50 i = 1, 64
         if (names(i) .eq. ' ') goto 50
         write (10, '(a, 1x, i0)') trim(names(i)), counts(i)
 50   continue
      close (10)
      end
