! tune: rank=2 size=4 stop=MPI_Recv:2 data=3 peer=1:MPI_Send:1
! Zones are given to ranks by weight; a header says how many a rank passes on, and
! counts the first one twice.
module zones
  implicit none
  type :: zone
    integer :: id = 0, owner = 0
    integer, allocatable :: faces(:)
  end type
  type :: domain
    integer :: nzones = 0
    type(zone), allocatable :: z(:)
  end type
contains
  subroutine build(d, n, nproc)
    type(domain), intent(inout) :: d
    integer, intent(in) :: n, nproc
    integer :: i
    allocate(d%z(n)) ! slice
    d%nzones = n ! slice
    do i = 1, n ! slice
      d%z(i)%id = i
      d%z(i)%owner = (i - 1) * nproc / n ! slice
      allocate(d%z(i)%faces(4))
      d%z(i)%faces = i
    end do
  end subroutine
  integer function passed(d, rank) result(n)
    type(domain), intent(in) :: d
    integer, intent(in) :: rank
    integer :: i
    n = 1 ! root
    do i = 1, d%nzones ! slice
      if (d%z(i)%owner == rank) n = n + 1 ! slice
    end do
  end function
end module

module traffic
  use zones
  implicit none
  include 'mpif.h'
contains
  subroutine give(d, rank, to)
    type(domain), intent(in) :: d
    integer, intent(in) :: rank, to
    integer :: head(3), i, ierr
    head(1) = rank
    head(2) = passed(d, rank) ! slice
    head(3) = 4
    call MPI_Send(head, 3, MPI_INTEGER, to, 1, MPI_COMM_WORLD, ierr) ! slice
    do i = 1, d%nzones
      if (d%z(i)%owner == rank) then
        call MPI_Send(d%z(i)%faces, 4, MPI_INTEGER, to, 2, MPI_COMM_WORLD, ierr)
      end if
    end do
  end subroutine
  subroutine take(from)
    integer, intent(in) :: from
    integer :: head(3), faces(4), i, status(MPI_STATUS_SIZE), ierr
    call MPI_Recv(head, 3, MPI_INTEGER, from, 1, MPI_COMM_WORLD, status, ierr) ! slice
    if (head(1) /= from) print *, 'from', head(1)
    do i = 1, head(2) ! slice
      call MPI_Recv(faces, head(3), MPI_INTEGER, from, 2, MPI_COMM_WORLD, status, ierr) ! stop
    end do
  end subroutine
end module

program partition
  use zones
  use traffic
  implicit none
  type(domain) :: d
  integer :: rank, nproc, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr) ! slice
  call build(d, 9, nproc) ! slice
  if (mod(rank, 2) == 1) then ! slice
    call give(d, rank, modulo(rank + 1, nproc)) ! slice
  else
    call take(modulo(rank - 1, nproc)) ! slice
  end if
  call MPI_Finalize(ierr)
end program
