! tune: rank=0 size=4 stop=MPI_Recv:1
! Basins in common blocks that block data fills: the table of the outlets is closed
! with the number of the links where the number of the basins is meant.
block data geometry
  implicit none
  integer nbasin, nlink, outlet, order, owner
  double precision area, runoff
  common /basin/ area(12), runoff(12), nbasin, nlink
  common /tree/ outlet(12), order(12), owner(12)
  data nbasin /8/, nlink /7/
  data area /12 * 1.5d0/, runoff /12 * 0d0/
  data outlet /12 * 0/, order /12 * 1/, owner /12 * 0/
end block data geometry

subroutine network()
  implicit none
  integer nbasin, nlink, outlet, order, owner, i
  double precision area, runoff
  common /basin/ area(12), runoff(12), nbasin, nlink
  common /tree/ outlet(12), order(12), owner(12)
  do i = 1, nlink ! slice
    outlet(i) = i + 1 + mod(i, 2) ! slice
    if (outlet(i) > nbasin) outlet(i) = nbasin ! slice
  end do
  outlet(nlink) = 1 ! root
  do i = 1, nbasin
    area(i) = area(i) + 0.25d0 * i
  end do
end subroutine network

subroutine assign_owners(nprocs)
  implicit none
  integer, intent(in) :: nprocs
  integer nbasin, nlink, outlet, order, owner, i, per
  double precision area, runoff
  common /basin/ area(12), runoff(12), nbasin, nlink
  common /tree/ outlet(12), order(12), owner(12)
  per = (nbasin + nprocs - 1) / nprocs ! slice
  do i = 1, nbasin ! slice
    owner(i) = (i - 1) / per ! slice
    order(i) = depth(i) ! slice
  end do
contains
  recursive integer function depth(b) result(d)
    integer, intent(in) :: b
    d = 1 ! slice
    if (b > 1 .and. outlet(b) > b) d = 1 + depth(outlet(b)) ! slice
  end function depth
end subroutine assign_owners

subroutine rainfall(rank)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: rank
  integer nbasin, nlink, ierr, status(MPI_STATUS_SIZE)
  double precision area, runoff
  common /basin/ area(12), runoff(12), nbasin, nlink
  if (rank == 0) then
    call MPI_Send(area, nbasin, MPI_DOUBLE_PRECISION, rank + 1, 2, MPI_COMM_WORLD, ierr)
  else
    call MPI_Recv(runoff, nbasin, MPI_DOUBLE_PRECISION, rank - 1, 2, MPI_COMM_WORLD, status, ierr)
  end if
end subroutine rainfall

subroutine inflow(basin, buf)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: basin
  double precision, intent(inout) :: buf(4)
  integer outlet, order, owner, b, from, ierr, status(MPI_STATUS_SIZE)
  common /tree/ outlet(12), order(12), owner(12)
  do b = 1, 12 ! slice
    if (outlet(b) /= basin) cycle ! slice
    from = owner(b) ! slice
    if (from == owner(basin)) cycle ! slice
    call MPI_Recv(buf, 4, MPI_DOUBLE_PRECISION, from, 100 + order(b), MPI_COMM_WORLD, status, ierr) ! stop
    buf(1) = buf(1) + 1
  end do
end subroutine inflow

subroutine outflow(basin, buf)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: basin
  double precision, intent(in) :: buf(4)
  integer outlet, order, owner, ierr
  common /tree/ outlet(12), order(12), owner(12)
  if (outlet(basin) > 0 .and. owner(outlet(basin)) /= owner(basin)) &
    call MPI_Send(buf, 4, MPI_DOUBLE_PRECISION, owner(outlet(basin)), 100 + order(basin), MPI_COMM_WORLD, ierr)
end subroutine outflow

program main
  implicit none
  include 'mpif.h'
  integer nbasin, nlink, outlet, order, owner, rank, nprocs, ierr, i
  double precision area, runoff, buf(4)
  common /basin/ area(12), runoff(12), nbasin, nlink
  common /tree/ outlet(12), order(12), owner(12)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  call network() ! slice
  call assign_owners(nprocs) ! slice
  call rainfall(rank)
  buf = runoff(1)
  do i = nbasin, 1, -1 ! slice
    if (owner(i) /= rank) cycle ! slice
    call inflow(i, buf) ! slice
    call outflow(i, buf)
  end do
  print *, buf(1), area(nbasin)
  call MPI_Finalize(ierr)
end program main
