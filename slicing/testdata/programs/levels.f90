! report: rank=1 size=4 stop=MPI_Recv:1
! A function computes the tag of a level; its argument was not updated.
module tags
  implicit none
contains
  integer function level_tag(level, field)
    integer, intent(in) :: level, field
    if (level < 4) then ! slice
      level_tag = 10 * level + field ! slice
    else
      level_tag = 1000 + field ! slice
    end if
  end function level_tag
end module tags

subroutine restrict(rank, coarse, work)
  use tags
  implicit none
  include 'mpif.h'
  integer, intent(in) :: rank, coarse
  double precision, intent(inout) :: work(8)
  integer :: tag, ierr, status(MPI_STATUS_SIZE)
  tag = level_tag(coarse, 2) ! slice
  if (mod(rank, 2) == 1) then ! slice
    call MPI_Recv(work, 8, MPI_DOUBLE_PRECISION, rank - 1, tag, MPI_COMM_WORLD, status, ierr) ! stop
  else
    call MPI_Send(work, 8, MPI_DOUBLE_PRECISION, rank + 1, tag, MPI_COMM_WORLD, ierr)
  end if
end subroutine restrict

program levels
  implicit none
  include 'mpif.h'
  integer :: rank, nprocs, ierr, level, fine
  double precision :: work(8), norm
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  fine = nprocs ! slice
  work = rank
  norm = 0
  do level = fine, 1, -1 ! slice
    norm = norm + work(1)
    call restrict(rank, fine, work) ! root
  end do
  print *, norm
  call MPI_Finalize(ierr)
end program levels
