! tune: rank=2 size=4 stop=MPI_Recv:4 data=3 peer=0:MPI_Send:2
! Columns of an atmosphere in allocatable arrays; a scheme is chosen for each after
! some steps. Humidity counts from 1 and schemes from 0; one line forgets it.
module physics
  implicit none
  integer, parameter :: dry = 0, shallow = 1, deep = 2
  integer, allocatable :: scheme(:), map(:)
contains
  subroutine setup(n, nprocs)
    integer, intent(in) :: n, nprocs
    integer :: i
    allocate (scheme(0:n - 1)) ! slice
    allocate (map(0:n - 1)) ! slice
    do i = 0, n - 1 ! slice
      map(i) = mod(i, nprocs) ! slice
      scheme(i) = dry ! slice
    end do
  end subroutine setup

  subroutine convection(humidity)
    integer, intent(in) :: humidity(:)
    integer :: i
    do i = 1, size(humidity) ! slice
      if (humidity(i) > 6) then ! slice
        scheme(i) = deep ! root
      else if (humidity(i) > 3) then ! slice
        scheme(i - 1) = shallow ! slice
      end if
    end do
  end subroutine convection

  integer function where_to(i, rank)
    integer, intent(in) :: i, rank
    select case (scheme(i)) ! slice
    case (deep)
      where_to = map(size(map) - 1 - i) ! slice
    case (shallow)
      where_to = map(i) ! slice
    case default
      where_to = rank ! slice
    end select
  end function where_to
end module physics

program columns
  use physics
  implicit none
  include 'mpif.h'
  integer :: rank, nprocs, ierr, i, n, step, to, status(MPI_STATUS_SIZE)
  integer, allocatable :: humidity(:), load(:), rain(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  n = 3 * nprocs ! slice
  allocate (humidity(n - 1)) ! slice
  allocate (load(n))
  allocate (rain(4))
  call setup(n, nprocs) ! slice
  do i = 1, n - 1 ! slice
    humidity(i) = mod(8 * i, 9) ! slice
  end do
  load = rank
  do step = 1, 3 ! slice
    if (rank == 0) then
      call MPI_Send(load, n, MPI_INTEGER, 2, step, MPI_COMM_WORLD, ierr)
    else
      call MPI_Recv(load, n, MPI_INTEGER, 0, step, MPI_COMM_WORLD, status, ierr)
    end if
  end do
  call convection(humidity) ! slice
  rain = 0
  do i = 0, n - 1 ! slice
    to = where_to(i, rank) ! slice
    if (map(i) == rank .and. to /= rank) then ! slice
      call MPI_Recv(rain, 4, MPI_INTEGER, to, 20 + i, MPI_COMM_WORLD, status, ierr) ! stop
    end if
  end do
  print *, sum(load), sum(rain)
  call MPI_Finalize(ierr)
end program columns
