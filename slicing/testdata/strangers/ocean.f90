! tune: rank=1 size=4 stop=MPI_Bcast:3 data=7
! An ocean with a common block and module variables: the calendar restarts the
! year a month late, and one season writes where the others do not.
module calendar
  implicit none
  integer :: month = 0, year = 0, season = 0
  integer, parameter :: winter = 1, summer = 2, other = 3
contains
  subroutine advance(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n ! slice
      month = month + 1 ! slice
      if (month > 13) then ! root
        month = 1 ! slice
        year = year + 1
      end if
    end do
    select case (month) ! slice
    case (1, 2, 12)
      season = winter ! slice
    case (6:8)
      season = summer ! slice
    case default
      season = other ! slice
    end select
  end subroutine advance
end module calendar

subroutine topology(rank, nprocs)
  implicit none
  integer :: rank, nprocs, i
  integer :: depth(8), writer(3), ice(8), reader(3)
  common /basin/ depth, writer, ice, reader
  do i = 1, 3 ! slice
    writer(i) = mod(i * i, nprocs) ! slice
    reader(i) = rank
  end do
  do i = 1, 8
    depth(i) = 1000 * i
    ice(i) = 0
  end do
end subroutine topology

subroutine load(n)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  integer :: depth(8), writer(3), ice(8), reader(3)
  common /basin/ depth, writer, ice, reader
  do i = 1, n
    call MPI_Bcast(ice, 8, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    depth(i) = depth(i) - ice(i)
  end do
end subroutine load

subroutine output(rank)
  use calendar
  implicit none
  include 'mpif.h'
  integer :: rank, ierr, root
  integer :: depth(8), writer(3), ice(8), reader(3)
  common /basin/ depth, writer, ice, reader
  root = writer(season) ! slice
  if (season /= summer .or. mod(rank, 2) == 0) then ! slice
    call MPI_Bcast(depth, 8, MPI_INTEGER, root, MPI_COMM_WORLD, ierr) ! stop
  end if
end subroutine output

program ocean
  use calendar
  implicit none
  include 'mpif.h'
  integer :: rank, nprocs, ierr, i
  integer :: depth(8), writer(3), ice(8), reader(3)
  common /basin/ depth, writer, ice, reader
  double precision :: heat(12), total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  call topology(rank, nprocs) ! slice
  do i = 1, 12
    heat(i) = 0.25d0 * i
  end do
  call advance(7 + 6 * mod(rank, 3)) ! slice
  call load(2)
  total = sum(heat) * season
  call output(rank) ! slice
  print *, total, depth(1), ice(1), reader(1)
  call MPI_Finalize(ierr)
end program ocean
